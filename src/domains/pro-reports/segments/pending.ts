import { toIso } from '../../../shared/clock.ts';
import { defineSegment } from '../segment.ts';

/** Updates that are not installed yet. Ignored updates are not included. */
export const pending = defineSegment({
  name: 'pending',
  fields: ['kind', 'name', 'slug', 'current_version', 'new_version'],
  tokens: { kind: 'pending' },
  async read(sources, { maxItems }) {
    const [updates, record] = await Promise.all([sources.updates(), sources.record()]);
    const count = (kind: string): number => updates.filter(({ type }) => type === kind).length;
    return {
      source: 'site',
      items: updates.slice(0, maxItems).map(({ type, name, slug, currentVersion, newVersion }) => ({
        kind: type,
        name,
        slug,
        current_version: currentVersion,
        new_version: newVersion,
      })),
      total: updates.length,
      counts: {
        core: count('core'),
        plugins: count('plugin'),
        themes: count('theme'),
        translations: count('translation'),
        total: updates.length,
      },
      summary: { last_sync: toIso(record?.lastSyncAt ?? null), read_at: toIso(record?.stateReadAt ?? null) },
    };
  },
});
