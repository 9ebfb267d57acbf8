import type { components } from '../../../../generated/v2.ts';
import type { ResolvedSites, Site } from '../../../domains/sites/index.ts';
import type { ItemError } from '../../../shared/item-error.ts';
import { siteReferenceView } from './view.ts';

type Schemas = components['schemas'];
type Outcome = Schemas['FleetOutcome'];

/** Result of a call over several sites. Unknown sites are only in `errors`. */
export interface FleetCallResult {
  chosen: ResolvedSites;
  errors: ItemError[];
}

function siteOutcomes({ chosen, errors }: FleetCallResult): { site: Site; outcome: Outcome }[] {
  const failed = new Map(errors.map(({ site_id, code }) => [site_id, code]));
  return chosen.sites.map(({ site }) => {
    const code = failed.get(site.id);
    return { site, outcome: code === undefined ? 'success' : code === 'svc_still_running' ? 'running' : 'failed' };
  });
}

export function fleetResponseBody<T>(
  participle: string,
  entries: [number, T][],
  succeeded: number,
  errors: ItemError[],
) {
  return {
    success: 1 as const,
    message: `${succeeded} of ${entries.length} sites were ${participle}.`,
    data: Object.fromEntries(entries) as Record<string, T>,
    total: entries.length,
    errors,
  };
}

const countSuccesses = (sites: readonly { outcome: Outcome }[]): number =>
  sites.filter(({ outcome }) => outcome === 'success').length;

export function outcomesView(participle: string, call: FleetCallResult): Schemas['FleetDone'] {
  const sites = siteOutcomes(call);
  const entries = sites.map(({ site, outcome }): [number, Outcome] => [site.id, outcome]);
  return fleetResponseBody(participle, entries, countSuccesses(sites), call.errors);
}

export function syncedSitesView(call: FleetCallResult): Schemas['SitesSynced'] {
  const sites = siteOutcomes(call);
  const entries = sites.map(({ site, outcome }): [number, Schemas['SyncedSite']] => [
    site.id,
    { result: outcome, ...siteReferenceView(site) },
  ]);
  return fleetResponseBody('synced', entries, countSuccesses(sites), call.errors);
}
