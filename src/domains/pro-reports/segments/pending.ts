import { defineSegment } from '../segment.ts';

/** Updates that are not installed yet. Ignored updates are not included. */
export const pending = defineSegment({
  name: 'pending',
  fields: ['kind', 'name', 'slug', 'current_version', 'new_version'],
  tokens: { kind: 'pending' },
  async read(sources, { maxItems }) {
    const updates = await sources.updates();
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
      summary: {},
    };
  },
});
