import type { Knex } from 'knex';
import { toJson } from '../../db/json.ts';
import type { GuardLeft } from '../sites/index.ts';
import { guardFilePath } from './guard-file-source.ts';

export class GuardLeftRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async refresh(siteId: number): Promise<void> {
    const row = await this.#db('guard_files')
      .where({ site_id: siteId })
      .whereNotNull('left_since')
      .orderBy('left_since')
      .orderBy('id')
      .first<{ guard_id: string; left_since: number | string } | undefined>('guard_id', 'left_since');
    const left: GuardLeft | null = row ? { path: guardFilePath(row.guard_id), since: Number(row.left_since) } : null;
    await this.#db('site_states')
      .where({ site_id: siteId })
      .update({ guard_left: left && toJson(left) });
  }
}
