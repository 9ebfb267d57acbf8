import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';
import { isMysql } from '../../db/dialect.ts';

export interface KeyUsageCount {
  keyId: number;
  day: number;
  operation: string;
  calls: number;
  errors: number;
}

export class KeyUsageRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async add(counts: readonly KeyUsageCount[]): Promise<void> {
    const ids = [...new Set(counts.map(({ keyId }) => keyId))];
    const known = new Set(await this.#db('api_keys').whereIn('id', ids).pluck<number[]>('id'));
    const rows = counts
      .filter(({ keyId }) => known.has(keyId))
      .map(({ keyId, ...count }) => ({ key_id: keyId, ...count }));
    if (rows.length === 0) return;
    await this.#db('key_usage')
      .insert(rows)
      .onConflict(['key_id', 'day', 'operation'])
      .merge({ calls: this.#sum('calls'), errors: this.#sum('errors') });
  }

  deleteOldest(before: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'key_usage', key: ['key_id', 'day', 'operation'], column: 'day', before });
  }

  #sum(column: 'calls' | 'errors'): Knex.Raw {
    const added = this.#db.raw(isMysql(this.#db) ? 'values(??)' : 'excluded.??', [column]);
    return this.#db.raw('?? + ?', [`key_usage.${column}`, added]);
  }
}
