import type { Knex } from 'knex';
import { lockForUpdate } from '../../db/dialect.ts';
import type { Sealing } from '../../db/sealing.ts';
import type { AccountField, ProviderSlug } from './provider.ts';

export interface ProviderAccount extends Record<AccountField, string> {
  slug: ProviderSlug;
  enabled: boolean;
  secretSet: boolean;
  checkedAt: number | null;
  checkError: string | null;
}

interface AccountRow {
  slug: ProviderSlug;
  enabled: number;
  url: string;
  username: string;
  company_id: string;
  secret: string | null;
  checked_at: number | null;
  check_error: string | null;
}

const COLUMNS = ['slug', 'enabled', 'url', 'username', 'company_id', 'secret', 'checked_at', 'check_error'] as const;

const toAccount = (row: AccountRow): ProviderAccount => ({
  slug: row.slug,
  enabled: row.enabled === 1,
  url: row.url,
  username: row.username,
  companyId: row.company_id,
  secretSet: row.secret !== null,
  checkedAt: row.checked_at,
  checkError: row.check_error,
});

/**
 * Returns the encryption context of a secret. It contains the slug, so a secret that is copied to another row cannot be
 * decrypted.
 */
const encryptionContextOf = (slug: ProviderSlug): string => `backup_providers.secret:${slug}`;

export const emptyAccount = (slug: ProviderSlug): ProviderAccount => ({
  slug,
  enabled: false,
  url: '',
  username: '',
  companyId: '',
  secretSet: false,
  checkedAt: null,
  checkError: null,
});

export type LastAccountCheck = Pick<ProviderAccount, 'checkedAt' | 'checkError'>;

/** A provider has a row only if its account was ever edited. */
export class AccountRepository {
  readonly #db: Knex;
  readonly #sealing: Sealing;

  constructor(db: Knex, sealing: Sealing) {
    this.#db = db;
    this.#sealing = sealing;
  }

  async list(): Promise<ProviderAccount[]> {
    const rows = await this.#db('backup_providers').select<AccountRow[]>(...COLUMNS);
    return rows.map(toAccount);
  }

  async get(slug: ProviderSlug): Promise<ProviderAccount> {
    const [row] = await this.#db('backup_providers')
      .where({ slug })
      .select<AccountRow[]>(...COLUMNS);
    return row ? toAccount(row) : emptyAccount(slug);
  }

  async lock(slug: ProviderSlug): Promise<ProviderAccount> {
    const { enabled, url, username, companyId } = emptyAccount(slug);
    const row = { slug, enabled: Number(enabled), url, username, company_id: companyId };
    await this.#db('backup_providers').insert(row).onConflict('slug').ignore();
    await lockForUpdate(this.#db, this.#db('backup_providers').where({ slug }).select('slug'));
    return this.get(slug);
  }

  async secret(slug: ProviderSlug): Promise<string | null> {
    const [row] = await this.#db('backup_providers').where({ slug }).select<Pick<AccountRow, 'secret'>[]>('secret');
    return this.#sealing.openOptional(row?.secret ?? null, encryptionContextOf(slug));
  }

  async save({ slug, enabled, url, username, companyId }: ProviderAccount, secret?: string | null): Promise<void> {
    const sealed =
      secret === undefined ? {} : { secret: this.#sealing.sealOptional(secret, encryptionContextOf(slug)) };
    await this.#db('backup_providers')
      .where({ slug })
      .update({ enabled: Number(enabled), url, username, company_id: companyId, ...sealed });
  }

  async saveCheck(slug: ProviderSlug, { checkedAt, checkError }: LastAccountCheck): Promise<void> {
    await this.#db('backup_providers').where({ slug }).update({ checked_at: checkedAt, check_error: checkError });
  }
}
