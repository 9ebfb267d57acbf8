import type { ReportItem, SegmentReport, SiteReport } from '../pro-reports/index.ts';
import type { Formats } from '../settings/index.ts';
import type { LabeledValue, Section, Table } from './page.ts';
import { SEGMENT_LAYOUTS, type Fields, type SegmentLayout } from './segment-layouts.ts';
import { formatCell, isNumeric, formatReportValue } from './cell-values.ts';
import { fieldNameToLabel } from './texts.ts';

export function buildSections({ segments }: SiteReport, formats: Formats, mostRows: number): Section[] {
  const byName = new Map(segments.map((each) => [each.segment, each]));
  return Object.entries(SEGMENT_LAYOUTS).flatMap(([name, topic]) => {
    const segment = byName.get(name as SegmentReport['segment']);
    return segment && hasData(segment) ? [buildSection(segment, topic, formats, mostRows)] : [];
  });
}

const hasData = ({ source, items, total, counts, summary }: SegmentReport): boolean =>
  source !== 'none' &&
  (total > 0 ||
    items.length > 0 ||
    Object.values(counts).some((count) => count > 0) ||
    Object.entries(summary).some(([name, value]) => isFilled(value) && !(name === 'status' && value === 'unknown')));

function buildSection(segment: SegmentReport, topic: SegmentLayout, formats: Formats, mostRows: number): Section {
  const { summary, counts } = segment;
  const facts = Object.entries(topic.facts ?? plainFields(summary)).flatMap(([name, [label, kind]]): LabeledValue[] => {
    const value = formatReportValue(summary[name], kind, formats);
    return value === '' ? [] : [{ label, value }];
  });
  const labels = topic.counts ?? Object.fromEntries(Object.keys(counts).map((name) => [name, fieldNameToLabel(name)]));
  const countFacts = Object.entries(labels).flatMap(([name, label]): LabeledValue[] => {
    const count = counts[name] ?? 0;
    return count > 0 ? [{ label, value: formats.number(count) }] : [];
  });
  return { title: topic.title, counts: countFacts, facts, table: buildItemTable(segment, topic, formats, mostRows) };
}

const plainFields = (summary: ReportItem): Fields =>
  Object.fromEntries(Object.keys(summary).map((name) => [name, [fieldNameToLabel(name), 'text']]));

function buildItemTable(
  { items, total }: SegmentReport,
  topic: SegmentLayout,
  formats: Formats,
  mostRows: number,
): Table | null {
  const { columns, only } = topic;
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
  };
}

const isFilled = (value: ReportItem[string] | undefined): boolean =>
  value !== null && value !== undefined && value !== '';
