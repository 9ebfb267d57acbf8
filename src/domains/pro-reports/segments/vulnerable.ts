import { toIso } from '../../../shared/clock.ts';
import { noContent, defineSegment } from '../segment.ts';

const NOTHING = { count: 0, plugins: 0, themes: 0, core: 0, open: 0, resolved: 0 };

/** Contains vulnerabilities that were known during the range. */
export const vulnerable = defineSegment({
  name: 'vulnerable',
  fields: [
    ...['kind', 'slug', 'name', 'version', 'title', 'severity', 'detected_at', 'resolved_at', 'fixed_in', 'cve'],
    'reference',
  ],
  tokens: { kind: 'vulnerable' },
  async read(sources, { maxItems }) {
    const known = await sources.exposures();
    if (!known) return noContent(NOTHING);
    const { exposures, checkedAt } = known;
    const count = (kind: string): number => exposures.filter(({ type }) => type === kind).length;
    const open = exposures.filter(({ until }) => until === null).length;
    return {
      source: 'vulnerabilities',
      items: exposures.slice(0, maxItems).map((exposure) => ({
        kind: exposure.type,
        slug: exposure.slug,
        name: exposure.name,
        version: exposure.version,
        title: exposure.title,
        severity: exposure.severity,
        detected_at: toIso(exposure.since),
        resolved_at: toIso(exposure.until),
        fixed_in: exposure.fixedIn,
        cve: exposure.cve,
        reference: exposure.reference,
      })),
      total: exposures.length,
      counts: {
        count: exposures.length,
        plugins: count('plugin'),
        themes: count('theme'),
        core: count('core'),
        open,
        resolved: exposures.length - open,
      },
      summary: { check_date: toIso(checkedAt) },
    };
  },
});
