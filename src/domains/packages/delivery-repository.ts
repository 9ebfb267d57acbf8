import type { Knex } from 'knex';
import { deleteOldest } from '../../db/delete-oldest.ts';

/** Number of requests that a download URL allows. The child plugin repeats a failed download once over https. */
const MAX_FETCHES = 2;

export interface NewDelivery {
  tokenHash: string;
  packageId: number | null;
  /** Text that is delivered instead of a package. */
  content: string | null;
  siteId: number;
  expiresAt: number;
}

export class DeliveryRepository {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async insert({ tokenHash, packageId, content, siteId, expiresAt }: NewDelivery, now: number): Promise<void> {
    await this.#db('package_deliveries').insert({
      token_hash: tokenHash,
      package_id: packageId,
      content,
      site_id: siteId,
      created_at: now,
      expires_at: expiresAt,
    });
  }

  async claim(tokenHash: string, now: number): Promise<boolean> {
    const claimed = await this.#valid(tokenHash, now).increment('fetches', 1);
    return Number(claimed) === 1;
  }

  async isValid(tokenHash: string, now: number): Promise<boolean> {
    return (await this.#valid(tokenHash, now).first<object | undefined>('id')) !== undefined;
  }

  async find(tokenHash: string): Promise<{ packageId: number | null; content: string | null; fetches: number } | null> {
    const row = await this.#db('package_deliveries')
      .where({ token_hash: tokenHash })
      .first<{ package_id: number | null; content: string | null; fetches: number } | undefined>(
        'package_id',
        'content',
        'fetches',
      );
    return row ? { packageId: row.package_id, content: row.content, fetches: Number(row.fetches) } : null;
  }

  async revoke(tokenHash: string, now: number): Promise<void> {
    await this.#db('package_deliveries')
      .where({ token_hash: tokenHash })
      .where('expires_at', '>', now)
      .update({ expires_at: now });
  }

  prune(before: number, most: number): Promise<number> {
    return deleteOldest(this.#db, { table: 'package_deliveries', column: 'expires_at', before, most });
  }

  async storeReach(siteId: number, canFetch: boolean, now: number): Promise<void> {
    const row = { site_id: siteId, can_fetch: Number(canFetch), checked_at: now };
    await this.#db('package_reach').insert(row).onConflict('site_id').merge();
  }

  async reach(siteId: number): Promise<boolean | null> {
    const row = await this.#db('package_reach')
      .where({ site_id: siteId })
      .first<{ can_fetch: number } | undefined>('can_fetch');
    return row ? Number(row.can_fetch) === 1 : null;
  }

  #valid(tokenHash: string, now: number): Knex.QueryBuilder {
    return this.#db('package_deliveries')
      .where({ token_hash: tokenHash })
      .where('expires_at', '>', now)
      .where('fetches', '<', MAX_FETCHES);
  }
}
