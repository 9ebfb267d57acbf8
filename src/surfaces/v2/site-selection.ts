import { type SiteScope } from '../../shared/site-scope.ts';
import type { SiteSelection } from '../../domains/fleet-reads/index.ts';
import { dropEmptyFilters } from './query-helpers.ts';

export const SELECTION_FIELD_NAMES = { sites: 'websites', tags: 'groups' } as const;

type SelectionValues = readonly (string | number)[];

/** Does not convert `websites` (numbers or texts), because errors repeat each site as the caller wrote it. */
export const siteSelectionOf = (
  scope: SiteScope,
  {
    websites,
    groups,
    clients,
  }: {
    websites?: SelectionValues | undefined;
    groups?: SelectionValues | undefined;
    clients?: SelectionValues | undefined;
  },
): SiteSelection => ({
  scope,
  ...dropEmptyFilters({ sites: websites, tags: groups?.map(String), clients: clients?.map(String) }),
});
