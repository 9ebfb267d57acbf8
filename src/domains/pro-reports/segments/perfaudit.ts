import { toIso } from '../../../shared/clock.ts';
import type { DeviceAudit, Scores, Strategy } from '../../perf-audit/index.ts';
import type { ReportItem } from '../report.ts';
import { noContent, defineSegment } from '../segment.ts';

const scoresOf = (scores: Scores | undefined, front = ''): ReportItem => ({
  [`${front}performance`]: scores?.performance ?? null,
  [`${front}accessibility`]: scores?.accessibility ?? null,
  [`${front}best_practices`]: scores?.bestPractices ?? null,
  [`${front}seo`]: scores?.seo ?? null,
});

const newest = (sides: readonly (DeviceAudit | null)[]): number | null => {
  const times = sides.flatMap((side) => side?.fetchedAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
};

const SCORELESS = scoresOf(undefined);

const measuresOf = (device: Strategy, side: DeviceAudit | null): ReportItem[] =>
  [...(side?.labData ?? []), ...(side?.opportunities ?? [])].map(({ title, displayValue }) => ({
    ...{ kind: 'measure', device, date: toIso(side?.fetchedAt ?? null), ...SCORELESS },
    ...{ title, display_value: displayValue },
  }));

/** Contains the newest audit as summary and measures, and the scores of all audits in the range. */
export const perfaudit = defineSegment({
  name: 'perfaudit',
  fields: ['kind', 'device', 'date', 'performance', 'accessibility', 'best_practices', 'seo', 'title', 'display_value'],
  tokens: { kind: 'perfaudit' },
  async read(sources, { maxItems }) {
    const record = await sources.audits();
    if (!record) return noContent({ audits: 0, measures: 0 });
    const { desktop, mobile } = record.sides;
    const audits = (record.history ?? []).map(({ strategy, fetchedAt, scores }) => ({
      ...{ kind: 'audit', device: strategy, date: toIso(fetchedAt), ...scoresOf(scores) },
      ...{ title: null, display_value: null },
    }));
    const measures = [...measuresOf('desktop', desktop), ...measuresOf('mobile', mobile)];
    return {
      source: 'perf-audit',
      items: [...audits, ...measures].slice(0, maxItems),
      total: audits.length + measures.length,
      counts: { audits: audits.length, measures: measures.length },
      summary: {
        ...scoresOf(desktop?.scores, 'desktop_'),
        ...scoresOf(mobile?.scores, 'mobile_'),
        last_check: toIso(newest([desktop, mobile])),
      },
    };
  },
});
