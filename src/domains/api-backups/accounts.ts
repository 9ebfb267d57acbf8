import type { Knex } from 'knex';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import { changedThing } from '../../shared/changed-thing.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/fields.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { parseUrl } from '../../shared/url.ts';
import type { ChangeLog } from '../changes/index.ts';
import { AccountRepository, noAccount, type KeptAccount } from './account-repository.ts';
import { PROVIDER_SLUGS, type AccountField, type Provider, type ProviderSlug } from './provider.ts';
import { PROVIDERS } from './providers/index.ts';

/** Fields of an edit. An absent field keeps its value; null clears it. */
export interface AccountPatch extends Partial<Record<AccountField, string | null>> {
  enabled?: boolean;
  apiKey?: string | null;
  password?: string | null;
}

export interface AccountRecord extends KeptAccount {
  provider: Provider;
}

/** Records for the precondition of an edit. The caller may have read the edited account or the whole list. */
export interface SeenAccounts {
  edited: AccountRecord;
  all: AccountRecord[];
}

export interface AccountsParts {
  knex: Knex;
  sealing: Sealing;
  changeLog: ChangeLog;
}

const FIELDS = ['url', 'username', 'companyId'] as const;

export class Accounts {
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  /** Returns one record per provider, sorted by slug. */
  async list(): Promise<AccountRecord[]> {
    return allOf(this.#repository(this.#parts.knex));
  }

  /** Throws `svc_backup_provider_not_found`, or `InvalidError` with the invalid fields. */
  async edit(
    slug: string,
    patch: AccountPatch,
    actor: string,
    precondition?: Precondition<SeenAccounts>,
  ): Promise<AccountRecord> {
    const provider = providerOf(slug);
    return inTransaction(this.#parts.knex, async ({ trx }) => {
      const repository = this.#repository(trx);
      const before = await repository.lock(provider.slug);
      precondition?.({ edited: recordOf(before), all: await allOf(repository) });
      const secret = provider.secret === 'api_key' ? patch.apiKey : patch.password;
      const after: KeptAccount = {
        ...before,
        ...Object.fromEntries(FIELDS.flatMap((field) => (field in patch ? [[field, patch[field] ?? '']] : []))),
        enabled: patch.enabled ?? before.enabled,
        secretSet: secret === undefined ? before.secretSet : secret !== null,
      };
      refuseUnfit(provider, patch, after);
      await repository.save(after, secret);
      const description = `Backup provider ${provider.label}: ${editedIn(patch).join(', ')} changed.`;
      const of = { name: provider.label, key: provider.slug };
      const thing = changedThing(of, logged(before), logged(after), secret === undefined ? [] : [provider.secret]);
      if (editedIn(patch).length > 0)
        await this.#parts.changeLog.append(trx, { siteId: null, type: 'settings.edited', description, actor, thing });
      return recordOf(after);
    });
  }

  #repository(db: Knex): AccountRepository {
    return new AccountRepository(db, this.#parts.sealing);
  }
}

async function allOf(repository: AccountRepository): Promise<AccountRecord[]> {
  const kept = new Map((await repository.list()).map((account) => [account.slug, account]));
  return PROVIDER_SLUGS.map((slug) => recordOf(kept.get(slug) ?? noAccount(slug)));
}

const recordOf = (account: KeptAccount): AccountRecord => ({ ...account, provider: PROVIDERS[account.slug] });

export function providerOf(slug: string): Provider {
  const provider = Object.hasOwn(PROVIDERS, slug) ? PROVIDERS[slug as ProviderSlug] : undefined;
  if (!provider) throw new NotFoundError('svc_backup_provider_not_found', 'No backup provider goes by this name.');
  return provider;
}

const logged = ({ enabled, url, username, companyId }: KeptAccount) => ({ enabled, url, username, companyId });

const editedIn = (patch: AccountPatch): string[] =>
  Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name]));

/** Throws if the patch sets a field of another provider, or if an enabled account lacks a required field. */
function refuseUnfit(provider: Provider, patch: AccountPatch, after: KeptAccount): void {
  const errors = new FieldErrors();
  for (const field of FIELDS)
    errors
      .rule(field, patch[field] === undefined || provider.fields.includes(field), `is no field of ${provider.label}`)
      .rule(field, !after.enabled || !provider.fields.includes(field) || after[field] !== '', 'must be set first');
  const secrets = { api_key: 'apiKey', password: 'password' } as const;
  for (const [kind, field] of Object.entries(secrets))
    if (kind === provider.secret) errors.rule(field, !after.enabled || after.secretSet, 'must be set first');
    else errors.rule(field, patch[field] === undefined, `is no field of ${provider.label}`);
  errors.rule('url', after.url === '' || isHttps(after.url), 'must be an https address without a query').refuse();
}

function isHttps(url: string): boolean {
  const parsed = parseUrl(url);
  if (!parsed) return false;
  const { protocol, search, hash, username, password } = parsed;
  return protocol === 'https:' && `${search}${hash}${username}${password}` === '';
}
