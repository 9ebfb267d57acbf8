import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';

interface ModuleRow {
  slug: string;
  active: number;
  updated_at: number;
}

export interface ModuleState {
  slug: string;
  active: boolean;
  updatedAt: number;
}

const toState = (row: ModuleRow): ModuleState => ({
  slug: row.slug,
  active: row.active === 1,
  updatedAt: row.updated_at,
});

const toRow = ({ slug, active, updatedAt }: ModuleState): ModuleRow => ({
  slug,
  active: active ? 1 : 0,
  updated_at: updatedAt,
});

export class ModuleRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async list(): Promise<ModuleState[]> {
    const rows = await this.#db<ModuleRow>('modules').select('slug', 'active', 'updated_at');
    return rows.map(toState);
  }

  /** A module without a row was never turned off. */
  async isActive(slug: string): Promise<boolean> {
    const row = await this.#db<ModuleRow>('modules').where({ slug }).first('active');
    return row?.active !== 0;
  }

  async lock(slug: string): Promise<void> {
    await lockForUpdate(this.#db, this.#db('modules').where({ slug }).select('slug'));
  }

  async lockAll(): Promise<void> {
    await lockForUpdate(this.#db, this.#db('modules').select('slug'));
  }

  async add(states: ModuleState[]): Promise<void> {
    if (states.length > 0) await this.#db('modules').insert(states.map(toRow)).onConflict('slug').ignore();
  }

  async clear(): Promise<void> {
    await this.#db('modules').delete();
  }

  async put(state: ModuleState): Promise<void> {
    await this.#db('modules').insert(toRow(state)).onConflict('slug').merge(['active', 'updated_at']);
  }
}
