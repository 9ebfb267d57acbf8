import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import type { Scope } from '../../shared/caller.ts';

export interface NewHashedKey {
  userId: number;
  label: string;
  hash: string;
  hint: string;
  scope: Scope;
  enabled?: boolean;
  expiresAt: number | null;
  createdAt: number;
}

interface KeyOwnerRow {
  id: number;
  user_id: number;
  label: string;
}

export interface KeyOwnerAndLabel {
  id: number;
  userId: number;
  label: string;
}

export interface KeyPatch {
  label?: string;
  scope?: Scope;
  enabled?: boolean;
  expiresAt?: number | null;
}

const toKeyOwnerAndLabel = (row: KeyOwnerRow): KeyOwnerAndLabel => ({
  id: row.id,
  userId: row.user_id,
  label: row.label,
});

const toRow = ({ label, scope, enabled, expiresAt }: KeyPatch): Record<string, unknown> => ({
  ...(label === undefined ? {} : { label }),
  ...(scope === undefined ? {} : { scope }),
  ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
});

export class KeyRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async findByHash(hash: string): Promise<KeyOwnerAndLabel | null> {
    const row = await this.#db<KeyOwnerRow & { hash: string }>('api_keys')
      .where({ hash })
      .first('id', 'user_id', 'label');
    return row ? toKeyOwnerAndLabel(row) : null;
  }

  async lock(id: number): Promise<void> {
    await lockForUpdate(this.#db, this.#db('api_keys').where({ id }).select('id'));
  }

  /**
   * Locks the enabled keys that have not expired. Without the lock, two concurrent calls could each remove one of the
   * last two keys.
   */
  async lockWorking(now: number): Promise<number[]> {
    const query = this.#db('api_keys')
      .where({ enabled: 1 })
      .where((lasting) => lasting.whereNull('expires_at').orWhere('expires_at', '>', now))
      .orderBy('id')
      .select('id');
    const rows = (await lockForUpdate(this.#db, query)) as { id: number }[];
    return rows.map(({ id }) => id);
  }

  async insert(key: NewHashedKey): Promise<number> {
    const [id] = await this.#db('api_keys').insert({
      user_id: key.userId,
      label: key.label,
      hash: key.hash,
      hint: key.hint,
      scope: key.scope,
      enabled: key.enabled === false ? 0 : 1,
      expires_at: key.expiresAt,
      created_at: key.createdAt,
      last_used_at: null,
    });
    return id as number;
  }

  async update(id: number, patch: KeyPatch): Promise<void> {
    await this.#db('api_keys').where({ id }).update(toRow(patch));
  }

  async assign(id: number, userId: number): Promise<void> {
    await this.#db('api_keys').where({ id }).update({ user_id: userId });
  }

  async delete(id: number): Promise<void> {
    await this.#db('api_keys').where({ id }).delete();
  }

  async deleteLabelled(label: string, except: string): Promise<number> {
    return this.#db('api_keys').where({ label }).whereNot({ hash: except }).delete();
  }

  async stamp(id: number, at: number, unlessSince: number): Promise<void> {
    await this.#db('api_keys')
      .where({ id })
      .where((older) => older.whereNull('last_used_at').orWhere('last_used_at', '<=', unlessSince))
      .update({ last_used_at: at });
  }
}
