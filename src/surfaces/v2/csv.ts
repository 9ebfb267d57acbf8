import { type Readable } from 'node:stream';
import { stringify, type Options } from 'csv-stringify';

/** Records as lines with a line of names, written as they are read. When either end goes, so does the other. */
export function linesOf(
  records: Readable,
  options: Options & { columns: string[] },
): { body: Readable; contentType: string } {
  const lines = stringify({ header: true, record_delimiter: 'windows', ...options });
  records.on('error', (error) => lines.destroy(error));
  lines.on('close', () => records.destroy());
  return { body: records.pipe(lines), contentType: 'text/csv' };
}
