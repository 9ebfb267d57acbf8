import { compileFunction } from 'node:vm';
import type { SqliteFile, SqliteStatement } from './sqlite-module.ts';

export type Binding = string | number | bigint | Uint8Array | null;
export type Row = Record<string, unknown>;

/** Number of values in a result from which it is faster to read the result as one JSON text. */
const MANY_VALUES = 60;
/**
 * Declared types of columns whose values stay the same when they are converted to JSON and back. SQLite writes a
 * floating-point number with 15 digits, and has no JSON for a BLOB. An expression has no declared type, but a subquery
 * that selects a column does.
 */
const EXACT_TYPES = /^(integer|bigint|tinyint|text|varchar)\b/i;
/** Maximum number of rows that are read as one JSON text, because text and rows are in memory at the same time. */
const MAX_ROWS_AS_TEXT = 5_000;

/**
 * A prepared statement. For each value, the driver takes longer to convert it than SQLite takes to find it, so a large
 * result is read as one JSON text. A statement whose previous result was large is read in that way.
 */
export class SqliteQuery {
  readonly statement: SqliteStatement;
  readonly returnsRows: boolean;
  readonly #file: SqliteFile;
  readonly #sql: string;
  readonly #columns: number;
  readonly #toRow: (values: unknown[]) => Row;
  #asText: SqliteStatement | null = null;
  #isLarge = false;
  readonly #fitsJson: boolean;

  constructor(file: SqliteFile, sql: string) {
    this.#file = file;
    this.#sql = sql;
    this.statement = file.prepare(sql);
    // Rows are read as arrays, because the objects that the driver creates are slower and have no prototype.
    this.statement.setReturnArrays(true);
    const columns = this.statement.columns();
    this.returnsRows = columns.length > 0;
    this.#columns = columns.length;
    this.#toRow = rowFactory(columns.map(({ name }) => name));
    this.#fitsJson = /^\s*select\b/i.test(sql) && columns.every(({ type }) => EXACT_TYPES.test(type ?? ''));
  }

  all(bindings: readonly Binding[]): Row[] {
    const values = this.#isLarge ? this.#allAsText(bindings) : (this.statement.all(...bindings) as unknown[][]);
    this.#isLarge = this.#fitsJson && values.length <= MAX_ROWS_AS_TEXT && values.length * this.#columns >= MANY_VALUES;
    return values.map(this.#toRow);
  }

  #allAsText(bindings: readonly Binding[]): unknown[][] {
    this.#asText ??= this.#prepareAsText();
    const [row] = this.#asText.all(...bindings) as [[string]];
    return JSON.parse(row[0]) as unknown[][];
  }

  #prepareAsText(): SqliteStatement {
    const columns = Array.from({ length: this.#columns }, (_, at) => `c${at}`).join(', ');
    const sql = `with r(${columns}) as (${this.#sql}) select json_group_array(json_array(${columns})) from r`;
    const statement = this.#file.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }
}

const factories = new Map<string, (values: unknown[]) => Row>();

/**
 * Returns a function that creates a row as one object literal. Setting the columns in a loop would take as long as
 * reading their values.
 */
export function rowFactory(names: readonly string[]): (values: unknown[]) => Row {
  const fields = names.map((name, at) => `${JSON.stringify(name)}: values[${at}]`).join(', ');
  const known = factories.get(fields);
  if (known) return known;
  const factory = compileFunction(`return { ${fields} };`, ['values']) as (values: unknown[]) => Row;
  factories.set(fields, factory);
  return factory;
}
