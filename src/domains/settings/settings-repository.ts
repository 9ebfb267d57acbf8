import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import { fromJson, toJson } from '../../db/json.ts';

interface SettingRow {
  name: string;
  value: string;
}

export interface StoredSetting {
  name: string;
  value: unknown;
}

const toSetting = (row: SettingRow): StoredSetting => ({ name: row.name, value: fromJson<unknown>(row.value) });

export class SettingsRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** One row per setting that was ever set: a page at most. */
  async list(): Promise<StoredSetting[]> {
    const rows = await this.#db<SettingRow>('settings').select('name', 'value');
    return rows.map(toSetting);
  }

  /** Holds all of them until the end of the transaction, so that an edit rests on what it has read. */
  async lock(): Promise<void> {
    await lockForUpdate(this.#db, this.#db('settings').select('name'));
  }

  async put(settings: StoredSetting[], updatedAt: number): Promise<void> {
    if (settings.length === 0) return;
    await this.#db('settings')
      .insert(settings.map(({ name, value }) => ({ name, value: toJson(value), updated_at: updatedAt })))
      .onConflict('name')
      .merge(['value', 'updated_at']);
  }

  async delete(names: string[]): Promise<void> {
    if (names.length > 0) await this.#db('settings').whereIn('name', names).delete();
  }
}
