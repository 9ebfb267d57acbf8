import type { TextKey } from '../../languages/index.ts';
import type { ReportItem, SegmentName, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { AppendixTopic } from '../report-templates/index.ts';
import type { LabeledValue, SectionPart, Table, Topic } from './page-content.ts';
import type { ReportFormats } from './report-formats.ts';
import { SEGMENT_LAYOUTS, TOPIC_SEGMENTS, type PartLayout, type SegmentLayout } from './segment-layouts.ts';
import { formatCell, isNumeric, formatReportValue } from './value-formatting.ts';
import { momentOf } from './key-figures.ts';
import { asOfTime, formatAsOf } from './state-values.ts';
import { softwareName } from './white-label.ts';

/** `mostRows` limits each table. `budget.rows` limits all tables together; each table takes its rows from it. */
export interface RowLimits {
  mostRows: number;
  budget: { rows: number };
}

type Context = Pick<SiteReport, 'madeAt'> & { formats: ReportFormats; limits: RowLimits };
type SegmentPart = 'period' | 'state';

/**
 * Segments of an appendix, with the parts of each one that are shown. `misc` belongs to two topics: its part `period`
 * has the tasks of the period (`work`), and its part `state` has the installed software (`inventory`).
 */
export type TopicSelection = ReadonlyMap<SegmentName, readonly SegmentPart[]>;

const BOTH: readonly SegmentPart[] = ['period', 'state'];
const MISC_PART: Partial<Record<AppendixTopic, SegmentPart>> = { work: 'period', inventory: 'state' };

export function selectTopics(topics: readonly AppendixTopic[], further: readonly SegmentName[]): TopicSelection {
  const selection = new Map<SegmentName, readonly SegmentPart[]>();
  for (const topic of topics)
    for (const segment of TOPIC_SEGMENTS[topic]) {
      const part = segment === 'misc' ? MISC_PART[topic] : undefined;
      selection.set(segment, part ? [...(selection.get(segment) ?? []), part] : BOTH);
    }
  for (const segment of further) selection.set(segment, BOTH);
  return selection;
}

/** `isAlone` is true for a page about one segment, which shows the note of the segment even without data. */
export function buildAppendixTopics(
  { segments, madeAt }: Pick<SiteReport, 'segments' | 'madeAt'>,
  selection: TopicSelection,
  formats: ReportFormats,
  limits: RowLimits,
  isAlone = false,
): Topic[] {
  return [...selection].flatMap(([name, parts]) => {
    const layout = SEGMENT_LAYOUTS[name];
    const segment = segments.find((each) => each.segment === name);
    if (!segment || !(hasData(segment, layout) || (isAlone && layout.note !== undefined))) return [];
    const topic = buildTopic(segment, layout, parts, { madeAt, formats, limits });
    return isEmpty(topic) && topic.note === null ? [] : [topic];
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

const isEmpty = ({ state, ...part }: Topic): boolean => state === null && isEmptyPart(part);

const isEmptyPart = ({ counts, facts, table }: SectionPart): boolean =>
  counts.length === 0 && facts.length === 0 && !table;

function buildTopic(
  segment: SegmentReport,
  layout: SegmentLayout,
  parts: readonly SegmentPart[],
  context: Context,
): Topic {
  const { formats } = context;
  const labels = layout.counts
    ? labelsOf(layout.counts, formats)
    : layout.state
      ? {}
      : wordsOf(segment.counts, formats);
  const nothing: SectionPart = { counts: [], facts: [], table: null };
  return {
    title: formats.text(`topic.${segment.segment}`),
    note: layout.note === undefined ? null : formats.text(layout.note),
    ...(parts.includes('period') ? buildPart(segment, layout, labels, context) : nothing),
    state: parts.includes('state') ? buildState(segment, layout, context) : null,
  };
}

function buildState(segment: SegmentReport, { state }: SegmentLayout, context: Context): Topic['state'] {
  if (!state) return null;
  const at = state.readAt === undefined ? context.madeAt : momentOf(segment.summary[state.readAt]);
  const part = buildPart(segment, state, labelsOf(state.counts ?? {}, context.formats), context);
  if (at === null || isEmptyPart(part)) return null;
  return { asOf: formatAsOf(asOfTime(at), context.formats), ...part };
}

function buildPart(
  segment: SegmentReport,
  layout: PartLayout,
  labels: Readonly<Record<string, string>>,
  { formats, limits }: Context,
): SectionPart {
  const { summary, counts } = segment;
  return {
    counts: Object.entries(labels).flatMap(([name, label]): LabeledValue[] => {
      const count = counts[name] ?? numberOf(summary[name]);
      return count > 0 ? [{ label, value: formats.number(count) }] : [];
    }),
    facts: Object.entries(layout.facts ?? {}).flatMap(([name, [label, kind]]): LabeledValue[] => {
      const value = formatReportValue(summary[name], kind, formats);
      return value === '' ? [] : [{ label: formats.text(label), value }];
    }),
    table: buildItemTable(segment, layout, formats, limits),
  };
}

const numberOf = (value: ReportItem[string] | undefined): number => (typeof value === 'number' ? value : 0);

const labelsOf = (counts: Readonly<Record<string, TextKey>>, formats: ReportFormats): Record<string, string> =>
  Object.fromEntries(Object.entries(counts).map(([name, label]) => [name, formats.text(label)]));

const wordsOf = (counts: SegmentReport['counts'], formats: ReportFormats): Record<string, string> =>
  Object.fromEntries(
    Object.keys(counts).flatMap((name) => {
      const word = formats.language.textOf(`words.${name}`);
      return word === null ? [] : [[name, word]];
    }),
  );

function buildItemTable(
  { items, total }: SegmentReport,
  { columns, only }: PartLayout,
  formats: ReportFormats,
  { mostRows, budget }: RowLimits,
): Table | null {
  const chosen = only ? items.filter(only) : items;
  if (!columns || chosen.length === 0) return null;
  const shownValues = chosen.slice(0, Math.min(mostRows, budget.rows)).map((item) => valuesOf(item, columns, formats));
  budget.rows -= shownValues.length;
  const filled = Object.entries(columns).filter(([name]) => shownValues.some((item) => isFilled(item[name])));
  /*
   * `only` selects some of the items, but `total` counts all items, also those that the segment does not list. So
   * nobody knows how many of the unlisted items match `only`.
   */
  const more = only ? chosen.length - shownValues.length : total - shownValues.length;
  return {
    columns: filled.map(([, [label, kind]]) => ({ label: formats.text(label), numeric: isNumeric(kind) })),
    rows: shownValues.map((item) => filled.map(([name, [, kind]]) => formatCell(item[name], kind, formats))),
    more: more > 0 ? formats.text(shownValues.length > 0 ? 'list.more' : 'list.omitted', { count: more }) : null,
    note: null,
  };
}

const valuesOf = (item: ReportItem, columns: NonNullable<PartLayout['columns']>, formats: ReportFormats): ReportItem =>
  Object.fromEntries(
    Object.entries(columns).map(([name, [, kind]]) => {
      const value = item[name] ?? null;
      if (kind === 'software') return [name, softwareName(item, formats)];
      return [name, kind === 'author' ? formats.personName(String(value ?? '')) : value];
    }),
  );

const isFilled = (value: ReportItem[string] | undefined): boolean =>
  value !== null && value !== undefined && value !== '';

export const segmentsOfTopics = (topics: readonly AppendixTopic[]): SegmentName[] =>
  topics.flatMap((topic) => TOPIC_SEGMENTS[topic]);
