import { toIso } from '../../../shared/clock.ts';
import type { DeviceAudit, Scores, Strategy } from '../../perf-audit/index.ts';
import type { ReportItem } from '../report.ts';
import { emptySegmentContent, defineSegment } from '../segment.ts';

const scoreFields = (scores: Scores | undefined, front = ''): ReportItem => ({
  [`${front}performance`]: scores?.performance ?? null,
  [`${front}accessibility`]: scores?.accessibility ?? null,
  [`${front}best_practices`]: scores?.bestPractices ?? null,
  [`${front}seo`]: scores?.seo ?? null,
});

const SCORELESS = scoreFields(undefined);

const measureItems = (device: Strategy, side: DeviceAudit | null): ReportItem[] =>
  [...(side?.labData ?? []), ...(side?.opportunities ?? [])].map(({ title, displayValue }) => ({
    ...{ kind: 'measure', device, date: toIso(side?.fetchedAt ?? null), ...SCORELESS },
    ...{ title, display_value: displayValue },
  }));

/**
 * Lists the scores of each audit in the range. The summary has the newest of these audits for each device. Measures are
 * stored only for the newest audit of a device, so there are none if it is not in the range.
 */
export const perfaudit = defineSegment({
  name: 'perfaudit',
  fields: ['kind', 'device', 'date', 'performance', 'accessibility', 'best_practices', 'seo', 'title', 'display_value'],
  tokens: { kind: 'perfaudit' },
  async read(sources, { range: { from, until }, maxItems }) {
    const record = await sources.audits();
    if (!record) return emptySegmentContent({ audits: 0, measures: 0 });
    const history = record.history ?? [];
    const newestOf = (device: Strategy): Scores | undefined =>
      history.find(({ strategy }) => strategy === device)?.scores;
    const inRange = (side: DeviceAudit | null): DeviceAudit | null =>
      side && side.fetchedAt >= from && side.fetchedAt < until ? side : null;
    const audits = history.map(({ strategy, fetchedAt, scores }) => ({
      ...{ kind: 'audit', device: strategy, date: toIso(fetchedAt), ...scoreFields(scores) },
      ...{ title: null, display_value: null },
    }));
    const measures = (['desktop', 'mobile'] as const).flatMap((device) =>
      measureItems(device, inRange(record.sides[device])),
    );
    return {
      source: 'perf-audit',
      items: [...audits, ...measures].slice(0, maxItems),
      total: audits.length + measures.length,
      counts: { audits: audits.length, measures: measures.length },
      summary: {
        ...scoreFields(newestOf('desktop'), 'desktop_'),
        ...scoreFields(newestOf('mobile'), 'mobile_'),
        last_check: toIso(history[0]?.fetchedAt ?? null),
      },
    };
  },
});
