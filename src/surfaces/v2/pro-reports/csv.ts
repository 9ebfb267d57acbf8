import type { Readable } from 'node:stream';
import type { ReportItem, Segment } from '../../../domains/pro-reports/index.ts';
import { csvBody, inPages } from '../csv.ts';

/** Matches a text that a spreadsheet treats as a formula. Some spreadsheets ignore leading blanks. */
const SPREADSHEET_FORMULA = /^\s*[=+\-@＝＋－＠]/;

/** Puts a text on one line and prefixes formulas with an apostrophe, because sites choose these texts. */
const safeCell = (text: string): string => {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return SPREADSHEET_FORMULA.test(line) ? `'${line}` : line;
};

export function segmentCsv(
  { name, fields }: Segment,
  items: AsyncIterable<ReportItem>,
): { body: Readable; contentType: string; headers: Record<string, string> } {
  const lines = csvBody(inPages(items), (item) => item, {
    columns: [...fields],
    cast: { string: safeCell, boolean: String, object: (list) => safeCell((list as unknown as string[]).join(', ')) },
  });
  return { ...lines, headers: { 'Content-Disposition': `attachment; filename="${name}.csv"` } };
}
