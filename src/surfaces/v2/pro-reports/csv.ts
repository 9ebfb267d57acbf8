import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { ReportItem, Segment } from '../../../domains/pro-reports/index.ts';

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
  const lines = stringify({
    header: true,
    columns: [...fields],
    record_delimiter: 'windows',
    cast: { string: cell, boolean: String, object: (list) => cell((list as unknown as string[]).join(', ')) },
  });
  const records = Readable.from(items);
  records.on('error', (error) => lines.destroy(error));
  lines.on('close', () => records.destroy());
  const headers = { 'Content-Disposition': `attachment; filename="${name}.csv"` };
  return { body: records.pipe(lines), contentType: 'text/csv', headers };
}
