import { toIso } from '../../../shared/clock.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

const NOTHING = { count: 0, plugins: 0, themes: 0, core: 0, open: 0, resolved: 0 };

/**
 * Contains the vulnerabilities that were open at any time in the range. `open_now` is the only value about the time of
 * the report; it includes vulnerabilities that were found after the range.
 */
export const vulnerable = defineSegment({
  name: 'vulnerable',
  fields: [
    ...['kind', 'slug', 'name', 'version', 'title', 'severity', 'detected_at', 'resolved_at', 'fixed_in', 'cve'],
    ...['reference', 'disclosed_at', 'fix_known_at', 'offered_at'],
  ],
  tokens: { kind: 'vulnerable' },
  async read(sources, { range, maxItems }) {
    const known = await sources.exposures();
    if (!known) return emptySegmentContent(NOTHING);
    const { inRange: exposures, openNow, checkedAt } = known;
    const count = (kind: string): number => exposures.filter(({ type }) => type === kind).length;
    const open = exposures.filter(({ until }) => until === null || until >= range.until).length;
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
        disclosed_at: toIso(exposure.publishedAt),
        fix_known_at: toIso(exposure.fixKnownAt),
        offered_at: toIso(exposure.offeredAt),
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
      summary: { check_date: toIso(checkedAt), open_now: openNow.length },
    };
  },
});
