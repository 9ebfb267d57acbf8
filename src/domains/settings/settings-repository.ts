import type { Knex } from 'knex';
import { fromJson, toJson } from '../../db/json.ts';
import { lockRevision } from '../../db/revisions.ts';
import type { Sealing } from '../../db/sealing.ts';

interface SettingRow {
  name: string;
  value: string;
}

export interface StoredSetting {
  name: string;
  value: unknown;
}

const toSetting = (row: SettingRow): StoredSetting => ({ name: row.name, value: fromJson<unknown>(row.value) });

const encryptionContextOf = (name: string): string => `settings.value:${name}`;

export class SettingsRepository {
  readonly #db: Knex;
  readonly #sealing: Sealing;

  constructor(db: Knex, sealing: Sealing) {
    this.#db = db;
    this.#sealing = sealing;
  }

  async list(): Promise<StoredSetting[]> {
    const rows = await this.#db<SettingRow>('settings').select('name', 'value');
    return rows.map(toSetting);
  }

  async find(name: string): Promise<StoredSetting | null> {
    const row = await this.#db<SettingRow>('settings').where({ name }).first('name', 'value');
    return row ? toSetting(row) : null;
  }

  /**
   * Locks all settings until the transaction ends, so that an edit is based on current values. It locks their revision,
   * because a setting with its default value has no row to lock.
   */
  async lock(): Promise<void> {
    await lockRevision(this.#db, 'settings');
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

  seal(name: string, secret: string): string {
    return this.#sealing.seal(secret, encryptionContextOf(name));
  }

  open({ name, value }: StoredSetting): string | null {
    return typeof value === 'string' ? this.#sealing.open(value, encryptionContextOf(name)) : null;
  }
}
