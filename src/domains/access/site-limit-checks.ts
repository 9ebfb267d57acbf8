import type { Knex } from 'knex';
import { FieldErrors } from '../../shared/field-errors.ts';
import { ALL_SITES, type SiteLimit, type SiteScope } from '../../shared/site-scope.ts';
import { SiteLimitRepository } from './site-limit-repository.ts';

const KINDS = { clients: 'a client', tags: 'a tag', sites: 'a site' } as const;

/**
 * Returns the limit without duplicates, sorted. Throws `InvalidError` for IDs that do not exist, or that the scope of
 * the caller does not contain. By default, the scope is all sites, as for the administrator on the command line.
 */
export async function checkedSiteLimit(knex: Knex, limit: SiteLimit, scope: SiteScope = ALL_SITES): Promise<SiteLimit> {
  const errors = new FieldErrors();
  for (const { kind, index } of await new SiteLimitRepository(knex).unknownEntriesOf(limit, scope))
    errors.require(`siteLimit.${kind}[${index}]`, false, `is not the ID of ${KINDS[kind]}`);
  errors.throwIfAny();
  return sortedSiteLimit(limit);
}

/** Returns the limit as it is stored: without duplicates, and in ascending order. */
export function sortedSiteLimit({ clients, tags, sites }: SiteLimit): SiteLimit {
  const sorted = (ids: readonly number[]): number[] => [...new Set(ids)].sort((one, other) => one - other);
  return { clients: sorted(clients), tags: sorted(tags), sites: sorted(sites) };
}
