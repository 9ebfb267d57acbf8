import type { Knex } from 'knex';
import { isDuplicate } from '../../db/dialect.ts';
import { ConflictError } from '../../shared/errors.ts';
import { nameKeyOf } from './tag.ts';

export interface TagRow {
  id: number;
  name: string;
  name_key: string;
  color: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

/** Tag records, built from the database or from a transaction. */
export class TagRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert({ name, color }: { name: string; color: string | null }): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    try {
      const [id] = await this.#db('tags').insert({ name, name_key: nameKeyOf(name), color, revision: 1, ...times });
      return id as number;
    } catch (error) {
      if (isDuplicate(error)) throw new ConflictError('svc_already_exists', 'A tag with this name is already there.');
      throw error;
    }
  }
}
