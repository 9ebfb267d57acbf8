import KnexCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';

/** What costs SQLite more than it needs to, in statements as Knex writes them. */
export class SqliteCompiler extends KnexCompiler {
  /**
   * A limit stands in the text: SQLite plans a statement anew whenever a number is bound to one, which takes several
   * times as long as most statements run. It is a whole number by then, whatever was passed for it.
   */
  override _getValueOrParameterFromAttribute(attribute: string, value?: unknown): unknown {
    if (attribute === 'limit') return this.single.limit;
    return super._getValueOrParameterFromAttribute(attribute, value);
  }

  /**
   * Rows stand in one list of values. Knex writes a select for each of them, in which every cell has its name, and
   * which takes longer to write than to run.
   */
  override insert(): unknown {
    const { insert: rows, onConflict, ignore, merge, returning } = this.single;
    if (!Array.isArray(rows) || rows.length < 2 || returning || this.grouped.where || this.grouped.with)
      return super.insert();
    const { client, builder, bindingsHolder } = this;
    const { columns, values } = this._prepInsert(rows);
    const lists = values.map(
      (row) => `(${client.parameterize(row, client.valueForUndefined, builder, bindingsHolder)})`,
    );
    const sql = `insert into ${this.tableName} (${this.formatter.columnize(columns)}) values ${lists.join(', ')}`;
    if (onConflict && ignore) return { sql: sql + this._ignore(onConflict) };
    if (onConflict && merge) return { sql: sql + this._merge(merge.updates, onConflict, rows) };
    return { sql };
  }
}
