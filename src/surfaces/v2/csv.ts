import { Readable } from 'node:stream';
import type * as CsvStringify from 'csv-stringify/sync';
import { endLongTurn } from '../../shared/event-loop.ts';
import { loadLate } from '../../shared/load-late.ts';

const csv = loadLate<typeof CsvStringify>('csv-stringify/sync');

/** Lines that are written at once. A stream that passes on single lines takes several times as long. */
const LINES_AT_ONCE = 100;

/** Writes a line for each item, in slices of the pages. */
export const csvBody = <Item>(
  pages: AsyncIterable<readonly Item[]>,
  lineOf: (item: Item) => object,
  options: CsvStringify.Options & { columns: string[] },
): { body: Readable; contentType: string } => ({
  body: Readable.from(csvTexts(pages, lineOf, options), { objectMode: false }),
  contentType: 'text/csv',
});

async function* csvTexts<Item>(
  pages: AsyncIterable<readonly Item[]>,
  lineOf: (item: Item) => object,
  options: CsvStringify.Options,
): AsyncGenerator<string> {
  const textOf = (items: readonly Item[], header: boolean): string =>
    csv().stringify(items.map(lineOf), { record_delimiter: 'windows', ...options, header });
  let isFirst = true;
  for await (const page of pages)
    for (let start = 0; start < page.length; start += LINES_AT_ONCE) {
      await endLongTurn();
      yield textOf(page.slice(start, start + LINES_AT_ONCE), isFirst);
      isFirst = false;
    }
  if (isFirst) yield textOf([], true);
}

export async function* inPages<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < LINES_AT_ONCE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
