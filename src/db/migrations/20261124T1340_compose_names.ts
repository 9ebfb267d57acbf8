import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';
import type { Migration, MigrationLog } from './columns.ts';

interface NameTable {
  table: string;
  about: string;
  name: 'name' | 'title';
  id: readonly string[];
  /** Columns within which names are unique. Undefined if they are not unique. */
  uniqueIn?: readonly string[];
  /** True if the table has the column `built_in`. Rows with a 1 in it count as the oldest, so they keep their names. */
  hasBuiltIn?: true;
  hasRevision?: true;
}

const TABLES: readonly NameTable[] = [
  { table: 'tags', about: 'tag', name: 'name', id: ['id'], uniqueIn: [], hasRevision: true },
  { table: 'client_fields', about: 'client field', name: 'name', id: ['id'], uniqueIn: [] },
  {
    ...{ table: 'cost_options', about: 'cost option', name: 'title', id: ['kind', 'slug'] },
    ...{ uniqueIn: ['kind'], hasBuiltIn: true },
  },
  { table: 'clients', about: 'client', name: 'name', id: ['id'], hasRevision: true },
  { table: 'sites', about: 'site', name: 'name', id: ['id'], hasRevision: true },
  { table: 'costs', about: 'cost', name: 'name', id: ['id'], hasRevision: true },
  { table: 'time_buckets', about: 'bucket', name: 'title', id: ['id'], hasRevision: true },
  { table: 'time_tasks', about: 'task', name: 'title', id: ['id'], hasRevision: true },
  { table: 'report_schedules', about: 'report schedule', name: 'name', id: ['id'] },
  { table: 'kept_reports', about: 'report', name: 'name', id: ['id'] },
];

/**
 * Stores names and their keys in the composed form of Unicode (NFC), so that two spellings of a name are one name. If
 * two rows of a table with unique names get the same name in this way, ` (2)` is added to the name of the younger row.
 */
export const composeNames: Migration = {
  name: '20261124T1340_compose_names',
  async up(knex, log = () => undefined) {
    for (const table of TABLES) await composeTable(knex, table, log);
    await knex('revisions').increment('value', 1);
  },
  // The release before reads composed names as well.
  down: () => Promise.resolve(),
};

type Row = Record<string, string | number>;

const notAscii = (knex: Knex, column: string): string =>
  isMysql(knex) ? `length(${column}) <> char_length(${column})` : `${column} glob '*[^ -~]*'`;

async function composeTable(knex: Knex, of: NameTable, log: MigrationLog): Promise<void> {
  const { table, name, id, uniqueIn } = of;
  const key = `${name}_key`;
  const columns = [...new Set([...id, ...(uniqueIn ?? []), name, key])];
  const query = knex(table).select<Row[]>(...columns);
  // NFC does not change names in ASCII. They are still read if names are unique, because the composed name of another
  // row can equal one.
  if (!uniqueIn) void query.whereRaw(notAscii(knex, name));
  if (of.hasBuiltIn) void query.orderBy('built_in', 'desc');
  const rows = await query.orderBy(['created_at', ...id]);
  const renamed = uniqueIn ? newNames(of, rows) : new Map<Row, string>();
  // Renamed rows come first, because they may hold the key that an older row gets.
  for (const row of [...renamed.keys(), ...rows.filter((each) => !renamed.has(each))]) {
    const composed = renamed.get(row) ?? composedName(row, name);
    if (composed === row[name] && composedNameKeyOf(composed) === row[key]) continue;
    await knex(table)
      .where(Object.fromEntries(id.map((column) => [column, row[column]])))
      .update({
        [name]: composed,
        [key]: composedNameKeyOf(composed),
        ...(of.hasRevision && { revision: knex.raw('revision + 1') }),
      });
    if (renamed.has(row))
      log(
        `The ${of.about} "${row[name]}" (${id.map((column) => row[column]).join(' ')}) has the name of an older one in ` +
          `another spelling of Unicode. It is now named "${composed}".`,
      );
  }
}

/** Returns new names for the rows whose composed name an older row has too. `rows` begins with the oldest. */
function newNames({ name, uniqueIn = [] }: NameTable, rows: readonly Row[]): Map<Row, string> {
  const placeOf = (row: Row, text: string): string =>
    JSON.stringify([...uniqueIn.map((column) => row[column]), composedNameKeyOf(text)]);
  const reserved = new Set(rows.map((row) => placeOf(row, composedName(row, name))));
  const taken = new Set<string>();
  const renamed = new Map<Row, string>();
  for (const row of rows) {
    const composed = composedName(row, name);
    const place = placeOf(row, composed);
    if (!taken.has(place)) {
      taken.add(place);
      continue;
    }
    let number = 2;
    while (reserved.has(placeOf(row, withNumber(composed, number)))) number++;
    reserved.add(placeOf(row, withNumber(composed, number)));
    renamed.set(row, withNumber(composed, number));
  }
  return renamed;
}

const MAX_NAME = 255;

const truncateCharacters = (text: string, length = MAX_NAME): string => Array.from(text).slice(0, length).join('');

/** NFC turns some characters into two, so the result is cut to the length of the column. */
const composedName = (row: Row, column: string): string => truncateCharacters(String(row[column]).normalize('NFC'));

function withNumber(name: string, number: number): string {
  const ending = ` (${number})`;
  return truncateCharacters(name, MAX_NAME - ending.length) + ending;
}

/** Copied from the code of names, because a migration must not change when that code does. */
const composedNameKeyOf = (name: string): string => truncateCharacters(name.trim().toLowerCase().normalize('NFC'));
