import type { Knex } from 'knex';
import { chunks, IDS_A_STATEMENT } from '../../db/chunks.ts';
import { readWhereAny, type Condition } from '../../db/prepared.ts';
import { groupBy } from '../../shared/group-by.ts';
import type { ChangeRow, NewChangeRow } from './change-repository.ts';

type Filter = 'source' | 'type' | 'object_key' | 'external_id';

/** Selects the changes of a site that have one of the listed values in each listed column. */
export interface SiteChanges extends Partial<Record<Filter, readonly string[]>> {
  siteId: number;
  /** Earliest and latest time, in milliseconds since 1970. Default: any time. */
  span?: readonly [from: number, until: number];
}

/** Columns by which the changes of a site can be limited. */
const FILTERS: readonly Filter[] = ['source', 'type', 'object_key', 'external_id'];

/** Reads the selected changes, on MySQL with one statement for many sites. */
export const readSiteChanges = <Column extends keyof ChangeRow>(
  db: Knex,
  columns: readonly Column[],
  selections: readonly SiteChanges[],
): Promise<Pick<ChangeRow, Column>[]> =>
  readWhereAny(db, `select ${columns.join(', ')} from changes`, selections.flatMap(inParts).map(toCondition));

/** Splits a selection so that no list of keys is too long for a statement. */
function inParts(selection: SiteChanges): SiteChanges[] {
  const { object_key: keys, external_id: ids } = selection;
  if (keys) return chunks(keys, IDS_A_STATEMENT).map((some) => ({ ...selection, object_key: some }));
  if (ids) return chunks(ids, IDS_A_STATEMENT).map((some) => ({ ...selection, external_id: some }));
  return [selection];
}

function toCondition({ siteId, span, ...lists }: SiteChanges): Condition {
  const filters = FILTERS.flatMap((column) => {
    const values = lists[column];
    return values ? [{ sql: `${column} in (${values.map(() => '?').join(', ')})`, values }] : [];
  });
  const sql = ['site_id = ?', ...filters.map((filter) => filter.sql), ...(span ? ['at between ? and ?'] : [])];
  return {
    sql: sql.join(' and '),
    bindings: [siteId, ...filters.flatMap(({ values }) => values), ...(span ?? [])],
  };
}

/** Returns a selection for each site with rows. `select` gets the rows of a site. */
export const selectBySite = (
  rows: readonly NewChangeRow[],
  select: (rows: readonly NewChangeRow[]) => Omit<SiteChanges, 'siteId'>,
): SiteChanges[] =>
  [...groupBy(rows, ({ site_id }) => Number(site_id))].map(([siteId, ofSite]) => ({ siteId, ...select(ofSite) }));

export const keysOf = (rows: readonly NewChangeRow[]): string[] => [
  ...new Set(rows.flatMap(({ object_key }) => object_key ?? [])),
];

/** Returns the span from the first to the last of the rows, with a margin on both sides, in milliseconds. */
export function spanOf(rows: readonly NewChangeRow[], margin: number): [from: number, until: number] {
  const [first, last] = rows.reduce(([low, high], { at }) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0]);
  return [first - margin, last + margin];
}

/** Returns a text that identifies the object of a change, such as a post, among those of all sites. */
export const objectOf = ({ site_id, type, object_key }: Pick<ChangeRow, 'site_id' | 'type' | 'object_key'>): string =>
  JSON.stringify([site_id, type.split('.')[0], object_key]);

/** Returns the objects of the selected changes, each as `objectOf`. */
export const readObjects = async (db: Knex, selections: readonly SiteChanges[]): Promise<Set<string>> =>
  new Set((await readSiteChanges(db, ['site_id', 'type', 'object_key'], selections)).map(objectOf));
