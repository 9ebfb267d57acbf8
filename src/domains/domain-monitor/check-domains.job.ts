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

/** What came of an item: a domain that was looked up, or the dates of all sites that were looked at. */
export type CheckedItem =
  | { domain: string; source: 'rdap' | 'whois' | null; expiresAt: number | null }
  | { sites: number; told: number };

export const checkedItem = asWritten<CheckedItem>();
export type CheckDomainsJob = JobKind<NoInput, CheckedItem, 'other'>;

/** The item that looks at the dates of all sites; no domain goes by this name. */
export const ALL_DATES = 'dates';
const A_TIME = 200;

export interface CheckDomainsParts {
  knex: Knex;
  checks: DomainChecks;
  news: DomainNews;
}

/** Looks domains up, each as an item. After an interruption the registry is simply asked again. */
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
  // That nobody can be asked is so every day, and nothing went wrong.
  if (error && error.code !== 'unsupported_tld')
    throw new DomainLookupError('svc_domain_lookup_failed', `${error.message} (${error.code})`);
  return { domain: name, source, expiresAt: facts?.expiresAt ?? null };
}

/** With time registrations come near their end, whether their registry is asked that day or not. */
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
