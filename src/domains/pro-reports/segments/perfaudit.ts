import { toIso } from '../../../shared/clock.ts';
import type { DeviceAudit, Scores, Strategy } from '../../perf-audit/index.ts';
import type { ReportItem } from '../report.ts';
import { noContent, defineSegment } from '../segment.ts';

const scoreFields = (scores: Scores | undefined, front = ''): ReportItem => ({
  [`${front}performance`]: scores?.performance ?? null,
  [`${front}accessibility`]: scores?.accessibility ?? null,
  [`${front}best_practices`]: scores?.bestPractices ?? null,
  [`${front}seo`]: scores?.seo ?? null,
});

const newest = (sides: readonly (DeviceAudit | null)[]): number | null => {
  const times = sides.flatMap((side) => side?.fetchedAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
};

const SCORELESS = scoreFields(undefined);

const measureItems = (device: Strategy, side: DeviceAudit | null): ReportItem[] =>
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
      ...{ kind: 'audit', device: strategy, date: toIso(fetchedAt), ...scoreFields(scores) },
      ...{ title: null, display_value: null },
    }));
    const measures = [...measureItems('desktop', desktop), ...measureItems('mobile', mobile)];
    return {
      source: 'perf-audit',
      items: [...audits, ...measures].slice(0, maxItems),
      total: audits.length + measures.length,
      counts: { audits: audits.length, measures: measures.length },
      summary: {
        ...scoreFields(desktop?.scores, 'desktop_'),
        ...scoreFields(mobile?.scores, 'mobile_'),
        last_check: toIso(newest([desktop, mobile])),
      },
    };
  },
});
