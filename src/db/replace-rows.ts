import type { Knex } from 'knex';
import { groupBy } from '../shared/group-by.ts';
import { chunks } from './chunks.ts';
import { insertRows, type TableRow } from './insert-rows.ts';
import { readOfIds, type Value } from './prepared.ts';

export type { TableRow } from './insert-rows.ts';

/** A table with rows of sites. Its primary key is the column `site_id`, followed by the columns in `key`. */
export interface SiteTable<R extends TableRow> {
  table: string;
  key: readonly (keyof R & string)[];
  columns: readonly (keyof R & string)[];
}

export interface SiteRows<R extends TableRow> {
  siteId: number;
  rows: readonly R[];
  /** True if nothing was ever stored for the site. */
  isFirst: boolean;
  /** Limits the replaced rows to those with these values in a column. The other rows of the site are not changed. */
  among?: { column: keyof R & string; values: readonly Value[] };
}

/** Returns the rows that `replaceRows` would replace, by site ID. */
export async function readStoredRows<R extends TableRow>(
  trx: Knex.Transaction,
  { table, key, columns }: SiteTable<R>,
  sites: readonly Omit<SiteRows<R>, 'rows'>[],
): Promise<Map<number, TableRow[]>> {
  const known = new Map(sites.filter(({ isFirst }) => !isFirst).map((site) => [site.siteId, site]));
  const fields = ['site_id', ...key, ...columns].join(', ');
  const sqlOf = (ids: string): string => `select ${fields} from ${table} where site_id in (${ids})`;
  const stored = await readOfIds<TableRow>(trx, [...known.keys()], sqlOf);
  const isReplaced = (row: TableRow): boolean => {
    const among = known.get(Number(row['site_id']))?.among;
    return !among || among.values.includes(row[among.column] ?? null);
  };
  return groupBy(stored.filter(isReplaced), (row) => Number(row['site_id']));
}

/**
 * Makes the table contain exactly these rows for each of the sites: reads the stored rows and writes only the
 * differences. Usually little has changed on a site, and then this is faster (measured) than deleting and inserting all
 * rows. Keys must be unique within the rows of a site, and each site must occur once.
 */
export async function replaceRows<R extends TableRow>(
  trx: Knex.Transaction,
  table: SiteTable<R>,
  sites: readonly SiteRows<R>[],
): Promise<void> {
  await writeRowDifferences(trx, table, sites, await readStoredRows(trx, table, sites));
}

export async function writeRowDifferences<R extends TableRow>(
  trx: Knex.Transaction,
  { table, key, columns }: SiteTable<R>,
  sites: readonly Pick<SiteRows<R>, 'siteId' | 'rows'>[],
  before: ReadonlyMap<number, readonly TableRow[]>,
): Promise<void> {
  const written: R[] = [];
  for (const { siteId, rows } of sites) {
    const { changed, gone } = differences({ key, columns }, rows, before.get(siteId) ?? []);
    written.push(...changed);
    // Deletes first: MySQL ignores trailing blanks when it compares keys, so a later deletion could hit a new row.
    for (const keys of chunks(gone))
      await trx(table)
        .where({ site_id: siteId })
        .whereIn([...key], keys)
        .delete();
  }
  await insertRows(trx, table, written, { key: ['site_id', ...key], columns });
}

function differences<R extends TableRow>(
  { key, columns }: Pick<SiteTable<R>, 'key' | 'columns'>,
  rows: readonly R[],
  before: readonly TableRow[],
): { changed: readonly R[]; gone: Value[][] } {
  if (before.length === 0) return { changed: rows, gone: [] };
  const keyOf = (row: TableRow): string => JSON.stringify(key.map((column) => row[column]));
  const stored = new Map(before.map((row) => [keyOf(row), row]));
  const wanted = new Set(rows.map(keyOf));
  const changed = rows.filter((row) => {
    const old = stored.get(keyOf(row));
    return !old || columns.some((column) => old[column] !== row[column]);
  });
  const gone = [...stored].flatMap(([id, row]) => (wanted.has(id) ? [] : [key.map((column) => row[column] as Value)]));
  return { changed, gone };
}

/** Returns one item per key, sorted by key, so that equal sets give equal lists in whatever order they arrived. */
export function sortAndDeduplicate<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => compare(a.key, b.key) || compare(JSON.stringify(a.item), JSON.stringify(b.item)));
  return keyed.filter(({ key }, at) => at === 0 || key !== keyed[at - 1]?.key).map(({ item }) => item);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
