import { toIso } from '../../../shared/clock.ts';
import type { AuditSide, Scores } from '../../perf-audit/index.ts';
import type { ReportItem } from '../report.ts';
import { noContent, segment } from '../segment.ts';

const scoresOf = (scores: Scores | undefined, front = ''): ReportItem => ({
  [`${front}performance`]: scores?.performance ?? null,
  [`${front}accessibility`]: scores?.accessibility ?? null,
  [`${front}best_practices`]: scores?.bestPractices ?? null,
  [`${front}seo`]: scores?.seo ?? null,
});

const newest = (sides: readonly (AuditSide | null)[]): number | null => {
  const times = sides.flatMap((side) => side?.fetchedAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
};

/** How the pages of the site did in audits: the newest as facts, those of the days as items. */
export const perfaudit = segment({
  name: 'perfaudit',
  fields: ['device', 'date', 'performance', 'accessibility', 'best_practices', 'seo'],
  tokens: { kind: 'perfaudit' },
  async read(sources, { maxItems }) {
    const record = await sources.audits();
    if (!record) return noContent({ audits: 0 });
    const { desktop, mobile } = record.sides;
    const history = record.history ?? [];
    return {
      source: 'perf-audit',
      items: history.slice(0, maxItems).map(({ strategy, fetchedAt, scores }) => ({
        device: strategy,
        date: toIso(fetchedAt),
        ...scoresOf(scores),
      })),
      total: history.length,
      counts: { audits: history.length },
      summary: {
        ...scoresOf(desktop?.scores, 'desktop_'),
        ...scoresOf(mobile?.scores, 'mobile_'),
        last_check: toIso(newest([desktop, mobile])),
      },
    };
  },
});
