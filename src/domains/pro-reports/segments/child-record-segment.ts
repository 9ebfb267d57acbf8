import { toIso } from '../../../shared/clock.ts';
import type { ChildReport, ChildReportSection } from '../../child-reports/index.ts';
import type { ReportItem, SegmentContent } from '../report.ts';
import { emptySegmentContent, defineSegment, type Segment, type SegmentQuery } from '../segment.ts';

export type ChildReportRecord<Name extends ChildReportSection> = ChildReport[Name]['items'][number];

interface ChildRecordSegmentSpec<Name extends ChildReportSection> {
  name: Name;
  action: string;
  fields: readonly string[];
  kind: string;
  itemOf: (recorded: ChildReportRecord<Name>) => ReportItem;
}

export function defineChildRecordSegment<Name extends ChildReportSection>(
  telling: ChildRecordSegmentSpec<Name>,
): Segment {
  const { name, action, fields, kind, itemOf } = telling;
  return defineSegment({
    name,
    actions: [action],
    asksSite: true,
    fields: ['action', ...fields, 'date'],
    tokens: { kind },
    async read(sources, query) {
      const report = await sources.childReport();
      const { items, counts } = report[name];
      if (!report.available) return emptySegmentContent({ ...counts });
      const reportItems = (items as ChildReportRecord<Name>[]).map((item) => ({
        action,
        ...itemOf(item),
        date: toIso(item.at),
      }));
      return childReportContent(reportItems, { ...counts }, query);
    },
  });
}

const childReportContent = (
  items: ReportItem[],
  counts: Record<string, number>,
  { maxItems }: SegmentQuery,
): SegmentContent => ({
  source: 'child-reports',
  items: items.slice(0, maxItems),
  total: items.length,
  counts,
  summary: {},
});
