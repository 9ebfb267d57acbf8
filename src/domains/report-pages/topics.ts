import type { ReportItem, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { LabeledValue, Section, SectionPart, Table } from './page-content.ts';
import { SEGMENT_LAYOUTS, type PartLayout, type SegmentLayout } from './segment-layouts.ts';
import { formatCell, isNumeric, formatReportValue } from './value-formatting.ts';
import { momentOf } from './key-figures.ts';
import { formatAsOf } from './state-values.ts';
import { fieldNameToLabel } from './texts.ts';

type Context = Pick<SiteReport, 'madeAt'> & { formats: Formats; mostRows: number };

export function buildSections({ segments, madeAt }: SiteReport, formats: Formats, mostRows: number): Section[] {
  const byName = new Map(segments.map((each) => [each.segment, each]));
  return Object.entries(SEGMENT_LAYOUTS).flatMap(([name, layout]) => {
    const segment = byName.get(name as SegmentReport['segment']);
    const isShown = segment && (hasData(segment, layout) || (layout.note !== undefined && segments.length === 1));
    return isShown ? [buildSection(segment, layout, { madeAt, formats, mostRows })] : [];
  });
}

const hasData = ({ source, items, total, counts, summary }: SegmentReport, { state }: SegmentLayout): boolean =>
  source !== 'none' &&
  (total > 0 ||
    items.length > 0 ||
    Object.values(counts).some((count) => count > 0) ||
    Object.entries(summary).some(
      ([name, value]) => isFilled(value) && name !== state?.readAt && !(name === 'status' && value === 'unknown'),
    ));

function buildSection(segment: SegmentReport, layout: SegmentLayout, context: Context): Section {
  const { counts: shownCounts = layout.state ? {} : labelsOf(segment.counts) } = layout;
  return {
    title: layout.title,
    note: layout.note ?? null,
    ...buildPart(segment, { ...layout, counts: shownCounts }, context),
    state: buildState(segment, layout, context),
  };
}

function buildState(segment: SegmentReport, { state }: SegmentLayout, context: Context): Section['state'] {
  if (!state) return null;
  const at = state.readAt === undefined ? context.madeAt : momentOf(segment.summary[state.readAt]);
  const part = buildPart(segment, state, context);
  if (at === null || (part.counts.length === 0 && part.facts.length === 0 && !part.table)) return null;
  const asOf = formatAsOf({ first: at, last: at }, context.formats);
  return { asOf: `A${asOf.slice(1)}`, ...part };
}

function buildPart(segment: SegmentReport, layout: PartLayout, { formats, mostRows }: Context): SectionPart {
  const { summary, counts } = segment;
  return {
    counts: Object.entries(layout.counts ?? {}).flatMap(([name, label]): LabeledValue[] => {
      const count = counts[name] ?? numberOf(summary[name]);
      return count > 0 ? [{ label, value: formats.number(count) }] : [];
    }),
    facts: Object.entries(layout.facts ?? {}).flatMap(([name, [label, kind]]): LabeledValue[] => {
      const value = formatReportValue(summary[name], kind, formats);
      return value === '' ? [] : [{ label, value }];
    }),
    table: buildItemTable(segment, layout, formats, mostRows),
  };
}

const numberOf = (value: ReportItem[string] | undefined): number => (typeof value === 'number' ? value : 0);

const labelsOf = (counts: SegmentReport['counts']): Record<string, string> =>
  Object.fromEntries(Object.keys(counts).map((name) => [name, fieldNameToLabel(name)]));

function buildItemTable(
  { items, total }: SegmentReport,
  { columns, only }: PartLayout,
  formats: Formats,
  mostRows: number,
): Table | null {
  const chosen = only ? items.filter(only) : items;
  if (!columns || chosen.length === 0) return null;
  const filled = Object.entries(columns).filter(([name]) => chosen.some((item) => isFilled(item[name])));
  const shown = chosen.slice(0, mostRows);
  return {
    columns: filled.map(([, [label, kind]]) => ({ label, numeric: isNumeric(kind) })),
    rows: shown.map((item) => filled.map(([name, [, kind]]) => formatCell(item[name], kind, formats))),
    /*
     * `only` selects a part of the items, but `total` counts all of them. So the number of matching items beyond the
     * limit is unknown.
     */
    more: only ? chosen.length - shown.length : total - shown.length,
    note: null,
  };
}

const isFilled = (value: ReportItem[string] | undefined): boolean =>
  value !== null && value !== undefined && value !== '';
