import { Readable } from 'node:stream';
import type { ReportItem, Segment } from '../../../domains/pro-reports/index.ts';
import { linesOf } from '../csv.ts';

/** Matches a text that a spreadsheet treats as a formula. Some spreadsheets ignore leading blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** Puts a text on one line and prefixes formulas with an apostrophe, because sites choose these texts. */
const cell = (text: string): string => {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return FORMULA.test(line) ? `'${line}` : line;
};

/** Converts the items of a segment to CSV while they are read. */
export function csvOf(
  { name, fields }: Segment,
  items: AsyncIterable<ReportItem>,
): { body: Readable; contentType: string; headers: Record<string, string> } {
  const lines = linesOf(Readable.from(items), {
    columns: [...fields],
    cast: { string: cell, boolean: String, object: (list) => cell((list as unknown as string[]).join(', ')) },
  });
  return { ...lines, headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` } };
}
