import type { Knex } from 'knex';
import type { Sealing } from '../../db/sealing.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeChangedObject } from '../../shared/changed-object.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { haveSameOrigin, parseUrl } from '../../shared/url.ts';
import type { ChangeLog } from '../changes/index.ts';
import { AccountRepository, emptyAccount, type ProviderAccount } from './account-repository.ts';
import { PROVIDER_SLUGS, type AccountField, type Provider, type ProviderSlug } from './provider.ts';
import { PROVIDERS } from './providers/index.ts';

/** An absent field keeps its value; null clears it. */
export interface AccountPatch extends Partial<Record<AccountField, string | null>> {
  enabled?: boolean;
  apiKey?: string | null;
  password?: string | null;
}

export interface AccountWithProvider extends ProviderAccount {
  provider: Provider;
}

/** The caller of an edit may have read the edited account or the whole list, so the precondition gets both. */
export interface AccountsPreconditionInput {
  edited: AccountWithProvider;
  all: AccountWithProvider[];
}

export interface AccountsDeps {
  knex: Knex;
  sealing: Sealing;
  changeLog: ChangeLog;
}

const FIELDS = ['url', 'username', 'companyId'] as const;

export class Accounts {
  readonly #deps: AccountsDeps;

  constructor(deps: AccountsDeps) {
    this.#deps = deps;
  }

  async list(): Promise<AccountWithProvider[]> {
    return allRecords(this.#repository(this.#deps.knex));
  }

  /** Throws `svc_backup_provider_not_found`, or `InvalidError` with the invalid fields. */
  async edit(
    slug: string,
    patch: AccountPatch,
    actor: string,
    precondition?: Precondition<AccountsPreconditionInput>,
  ): Promise<AccountWithProvider> {
    const provider = findProvider(slug);
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const repository = this.#repository(trx);
      const before = await repository.lock(provider.slug);
      precondition?.({ edited: toAccountWithProvider(before), all: await allRecords(repository) });
      const secret = provider.secret === 'api_key' ? patch.apiKey : patch.password;
      const after: ProviderAccount = {
        ...before,
        ...Object.fromEntries(FIELDS.flatMap((field) => (field in patch ? [[field, patch[field] ?? '']] : []))),
        enabled: patch.enabled ?? before.enabled,
        secretSet: secret === undefined ? before.secretSet : secret !== null,
      };
      refuseInvalidAccount(provider, patch, before, after);
      await repository.save(after, secret);
      const description = `Backup provider ${provider.label}: ${fieldNamesInPatch(patch).join(', ')} changed.`;
      const of = { name: provider.label, key: provider.slug };
      const thing = describeChangedObject(
        of,
        loggedValues(before),
        loggedValues(after),
        secret === undefined ? [] : [provider.secret],
      );
      if (fieldNamesInPatch(patch).length > 0)
        await this.#deps.changeLog.append(trx, { siteId: null, type: 'settings.edited', description, actor, thing });
      return toAccountWithProvider(after);
    });
  }

  #repository(db: Knex): AccountRepository {
    return new AccountRepository(db, this.#deps.sealing);
  }
}

async function allRecords(repository: AccountRepository): Promise<AccountWithProvider[]> {
  const kept = new Map((await repository.list()).map((account) => [account.slug, account]));
  return PROVIDER_SLUGS.map((slug) => toAccountWithProvider(kept.get(slug) ?? emptyAccount(slug)));
}

const toAccountWithProvider = (account: ProviderAccount): AccountWithProvider => ({
  ...account,
  provider: PROVIDERS[account.slug],
});

export function findProvider(slug: string): Provider {
  const provider = Object.hasOwn(PROVIDERS, slug) ? PROVIDERS[slug as ProviderSlug] : undefined;
  if (!provider) throw new NotFoundError('svc_backup_provider_not_found', 'No backup provider has this name.');
  return provider;
}

const loggedValues = ({ enabled, url, username, companyId }: ProviderAccount) => ({
  enabled,
  url,
  username,
  companyId,
});

const fieldNamesInPatch = (patch: AccountPatch): string[] =>
  Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : [name]));

function refuseInvalidAccount(
  provider: Provider,
  patch: AccountPatch,
  before: ProviderAccount,
  after: ProviderAccount,
): void {
  const errors = new FieldErrors();
  for (const field of FIELDS)
    errors
      .require(
        field,
        patch[field] === undefined || provider.fields.includes(field),
        `is not a field of ${provider.label}`,
      )
      .require(field, !after.enabled || !provider.fields.includes(field) || after[field] !== '', 'must be set first');
  const secrets = { api_key: 'apiKey', password: 'password' } as const;
  for (const [kind, field] of Object.entries(secrets))
    if (kind === provider.secret) errors.require(field, !after.enabled || after.secretSet, 'must be set first');
    else errors.require(field, patch[field] === undefined, `is not a field of ${provider.label}`);
  // Somebody who may only change the URL could otherwise read the stored password on another server.
  const isRedirected = before.secretSet && patch.password === undefined && after.url !== '' && after.url !== before.url;
  errors
    .require(
      'password',
      !isRedirected || haveSameOrigin(before.url, after.url),
      'must be sent with a URL of another host',
    )
    .require('url', after.url === '' || isHttpsUrlWithoutQuery(after.url), 'must be an https URL without a query')
    .throwIfAny();
}

function isHttpsUrlWithoutQuery(url: string): boolean {
  const parsed = parseUrl(url);
  if (!parsed) return false;
  const { protocol, search, hash, username, password } = parsed;
  return protocol === 'https:' && `${search}${hash}${username}${password}` === '';
}
