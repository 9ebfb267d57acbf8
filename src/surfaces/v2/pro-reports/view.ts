import type { ReportRange, SegmentReport, Tokens } from '../../../domains/pro-reports/index.ts';

/** A segment as its own schema in the contract has it. */
export function segmentView(
  { segment, source, total, items, counts, summary }: SegmentReport,
  { sections, others }: Tokens,
  { startDate, endDate }: ReportRange,
  format: string,
): object {
  const tokens = { sections_data: sections, other_tokens_data: others };
  if (format === 'tokens') return tokens;
  return { segment, source, start_date: startDate, end_date: endDate, total, items, counts, summary, ...tokens };
}
