import { type Readable } from 'node:stream';
import type * as CsvStringify from 'csv-stringify';
import { loadLate } from '../../shared/load-late.ts';

const csv = loadLate<typeof CsvStringify>('csv-stringify');

export function csvBody(
  records: Readable,
  options: CsvStringify.Options & { columns: string[] },
): { body: Readable; contentType: string } {
  const lines = csv().stringify({ header: true, record_delimiter: 'windows', ...options });
  records.on('error', (error) => lines.destroy(error));
  lines.on('close', () => records.destroy());
  return { body: records.pipe(lines), contentType: 'text/csv' };
}
