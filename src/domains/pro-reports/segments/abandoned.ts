import { toDate, toIso } from '../../../shared/clock.ts';
import { defineSegment } from '../segment.ts';

export const abandoned = defineSegment({
  name: 'abandoned',
  fields: ['kind', 'name', 'slug', 'version', 'last_updated'],
  tokens: { kind: 'abandoned' },
  async read(sources, { maxItems }) {
    const [all, record] = await Promise.all([sources.abandoned(), sources.record()]);
    const plugins = all.filter(({ kind }) => kind === 'plugin').length;
    return {
      source: 'site',
      items: all.slice(0, maxItems).map(({ kind, name, slug, version, lastUpdatedAt }) => ({
        kind,
        name,
        slug,
        version,
        last_updated: toDate(lastUpdatedAt),
      })),
      total: all.length,
      counts: { plugins, themes: all.length - plugins, total: all.length },
      summary: { last_sync: toIso(record?.lastSyncAt ?? null), read_at: toIso(record?.stateReadAt ?? null) },
    };
  },
});
