import KnexCompiler from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';

export class SqliteCompiler extends KnexCompiler {
  /**
   * Writes the limit into the SQL text instead of binding it. SQLite plans a statement again whenever a number is bound
   * as its limit, and planning takes several times as long as running most statements. Knex has already converted the
   * limit to an integer.
   */
  override _getValueOrParameterFromAttribute(attribute: string, value?: unknown): unknown {
    if (attribute === 'limit') return this.single.limit;
    return super._getValueOrParameterFromAttribute(attribute, value);
  }

  /**
   * Writes all rows as one list of values. Knex writes a select with named cells for each row, which takes longer to
   * compile than to run.
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
