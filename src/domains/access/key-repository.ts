import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import type { SiteLimit } from '../../shared/site-scope.ts';
import { SiteLimitRepository } from './site-limit-repository.ts';
import { toJson } from '../../db/json.ts';
import type { Scope } from '../../shared/permissions.ts';

export interface NewHashedKey {
  userId: number;
  label: string;
  hash: string;
  hint: string;
  scope: Scope;
  enabled?: boolean;
  expiresAt: number | null;
  allowedAddresses?: string[] | null;
  rateLimit?: number | null;
  limitedByKeyId?: number | null;
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
  allowedAddresses?: string[] | null;
  rateLimit?: number | null;
  siteLimit?: SiteLimit | null;
}

const toKeyOwnerAndLabel = (row: KeyOwnerRow): KeyOwnerAndLabel => ({
  id: row.id,
  userId: row.user_id,
  label: row.label,
});

const addressesToJson = (addresses: string[] | null): string | null => (addresses === null ? null : toJson(addresses));

const toRow = ({
  label,
  scope,
  enabled,
  expiresAt,
  allowedAddresses,
  rateLimit,
}: KeyPatch): Record<string, unknown> => ({
  ...(label === undefined ? {} : { label }),
  ...(scope === undefined ? {} : { scope }),
  ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  ...(allowedAddresses === undefined ? {} : { allowed_addresses: addressesToJson(allowedAddresses) }),
  ...(rateLimit === undefined ? {} : { rate_limit: rateLimit }),
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
      allowed_addresses: addressesToJson(key.allowedAddresses ?? null),
      rate_limit: key.rateLimit ?? null,
      limited_by_key_id: key.limitedByKeyId ?? null,
      created_at: key.createdAt,
      last_used_at: null,
    });
    return id as number;
  }

  async update(id: number, { siteLimit, ...patch }: KeyPatch): Promise<void> {
    if (Object.keys(patch).length > 0) await this.#db('api_keys').where({ id }).update(toRow(patch));
    if (siteLimit !== undefined) await new SiteLimitRepository(this.#db).replace('key_id', id, siteLimit);
  }

  /** Replaces the token. The old token works until `previousExpiresAt`. If that is null, it stops working now. */
  async rotate(id: number, token: { hash: string; hint: string; previousExpiresAt: number | null }): Promise<void> {
    const { hash, hint, previousExpiresAt } = token;
    const row = await this.#db('api_keys').where({ id }).first<{ hash: string }>('hash');
    const previous = previousExpiresAt === null ? null : row.hash;
    await this.#db('api_keys')
      .where({ id })
      .update({ hash, hint, previous_hash: previous, previous_expires_at: previousExpiresAt });
  }

  async endPreviousToken(hash: string): Promise<void> {
    await this.#db('api_keys')
      .where({ previous_hash: hash })
      .update({ previous_hash: null, previous_expires_at: null });
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
