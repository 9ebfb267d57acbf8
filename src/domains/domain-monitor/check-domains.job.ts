import type { Knex } from 'knex';
import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  PostponedItem,
  type ItemResult,
  type JobKind,
  type NoInput,
} from '../../queue/index.ts';
import { HOUR } from '../../shared/clock.ts';
import { DomainLookupError } from '../../shared/errors.ts';
import { ALL_SITES } from '../../shared/site-scope.ts';
import { JobReadModel } from '../jobs/index.ts';
import type { DomainChecks } from './domain-checks.ts';
import type { DomainAlerts } from './domain-alerts.ts';
import type { LookupOptions } from './domain-lookup.ts';

/** Result of an item that looked up a domain, or of the item that checked all expiry dates and raised `told` alerts. */
export type DomainCheckJobResult =
  | { domain: string; source: 'rdap' | 'whois' | null; expiresAt: number | null }
  | { sites: number; told: number };

export const parseDomainCheckJobResult = createUnvalidatedParser<DomainCheckJobResult>();
export type CheckDomainsJob = JobKind<NoInput, DomainCheckJobResult, 'other'>;

/** Identifier of the item that checks all expiry dates. No domain has this name. */
export const EXPIRY_DATES_ITEM = 'dates';
/** Time after which a job no longer waits for a registry, so that it has ended before the next daily run. */
const LONGEST_DEFERRAL = 20 * HOUR;

export interface CheckDomainsDeps {
  knex: Knex;
  checks: DomainChecks;
  alerts: DomainAlerts;
}

export const checkDomainsJob = ({ knex, checks, alerts: domainAlerts }: CheckDomainsDeps): CheckDomainsJob =>
  defineJobKind({
    name: 'check-domains',
    about: 'other',
    input: noInput,
    result: parseDomainCheckJobResult,
    whenCancelled: 'abort',
    retryPermission: 'checks:run',
    perform: async ({ subject, item, signal }): Promise<ItemResult<DomainCheckJobResult>> => {
      // A domain can come close to its expiry without a new lookup.
      if (subject === EXPIRY_DATES_ITEM) return domainAlerts.raiseAll(knex, { signal });
      const { createdAt } = await new JobReadModel(knex).get(ALL_SITES, item.jobId);
      return lookUpDomain(checks, String(subject), { deferUntil: createdAt + LONGEST_DEFERRAL, signal });
    },
  });

async function lookUpDomain(
  checks: DomainChecks,
  name: string,
  options: LookupOptions,
): Promise<ItemResult<DomainCheckJobResult>> {
  const checked = await checks.check(name, { allowCached: false, actor: 'system', ...options });
  if ('until' in checked) return new PostponedItem(checked.until);
  const { error, source, facts } = checked.domain;
  // A TLD without a server is a permanent condition, so the item does not fail.
  if (error && error.code !== 'unsupported_tld')
    throw new DomainLookupError('svc_domain_lookup_failed', `${error.message} (${error.code})`);
  return { domain: name, source, expiresAt: facts?.expiresAt ?? null };
}
