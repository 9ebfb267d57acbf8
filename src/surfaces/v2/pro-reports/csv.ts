import { Readable } from 'node:stream';
import type { ReportItem, Segment } from '../../../domains/pro-reports/index.ts';
import { linesOf } from '../csv.ts';

/** What a spreadsheet takes for a formula, and what it may take for one when it leaves out blanks. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** In one cell and as a text, whatever a site calls its things. */
const cell = (text: string): string => {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return FORMULA.test(line) ? `'${line}` : line;
};

/** Items of a segment as lines, written as they are read. */
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
