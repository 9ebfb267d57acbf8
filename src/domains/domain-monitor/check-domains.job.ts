import { inTransaction } from '../../db/transaction.ts';
import type { Knex } from 'knex';
import {
  asWritten,
  jobKind,
  noInput,
  Postponed,
  type ItemAnswer,
  type JobKind,
  type NoInput,
} from '../../queue/index.ts';
import { DomainLookupError } from '../../shared/errors.ts';
import type { DomainChecks } from './domain-checks.ts';
import type { DomainNews } from './domain-news.ts';
import { ProfileReadModel } from './profile-read-model.ts';

/** `told` is the number of alerts after the check of all expiry dates. */
export type CheckedItem =
  | { domain: string; source: 'rdap' | 'whois' | null; expiresAt: number | null }
  | { sites: number; told: number };

export const checkedItem = asWritten<CheckedItem>();
export type CheckDomainsJob = JobKind<NoInput, CheckedItem, 'other'>;

/** Identifier of the item that checks the expiry dates of all sites. No domain has this name. */
export const ALL_DATES = 'dates';
const A_TIME = 200;

export interface CheckDomainsParts {
  knex: Knex;
  checks: DomainChecks;
  news: DomainNews;
}

/** Looks up one domain per item. After an interruption, the registry is asked again. */
export const checkDomainsJob = ({ knex, checks, news }: CheckDomainsParts): CheckDomainsJob =>
  jobKind({
    name: 'check-domains',
    about: 'other',
    input: noInput,
    result: checkedItem,
    whenCancelled: 'abort',
    perform: ({ subject, signal }): Promise<ItemAnswer<CheckedItem>> =>
      subject === ALL_DATES ? lookAtDates(knex, news, signal) : lookUp(checks, String(subject), signal),
  });

async function lookUp(checks: DomainChecks, name: string, signal: AbortSignal): Promise<ItemAnswer<CheckedItem>> {
  const checked = await checks.check(name, { mayBeKept: false, mayBePutOff: true, actor: 'system', signal });
  if (checked.kind === 'put_off') return new Postponed(checked.until);
  const { error, source, facts } = checked.domain;
  // A TLD without a server is a permanent condition, so the item does not fail.
  if (error && error.code !== 'unsupported_tld')
    throw new DomainLookupError('svc_domain_lookup_failed', `${error.message} (${error.code})`);
  return { domain: name, source, expiresAt: facts?.expiresAt ?? null };
}

/** Checks the expiry dates of all sites. A domain can come close to its expiry without a new lookup. */
async function lookAtDates(knex: Knex, news: DomainNews, signal: AbortSignal): Promise<CheckedItem> {
  const sum = { sites: 0, told: 0 };
  for (let behind = 0; ;) {
    signal.throwIfAborted();
    const profiles = await new ProfileReadModel(knex).behind(behind, A_TIME);
    sum.sites += profiles.length;
    sum.told += await inTransaction(knex, ({ trx }) => news.tell(trx, profiles));
    if (profiles.length < A_TIME) return sum;
    behind = profiles.at(-1)?.site.id ?? behind;
  }
}
