import type { components } from '../../../../generated/v2.ts';
import type { ResolvedSites, Site } from '../../../domains/sites/index.ts';
import type { ItemError } from '../../../shared/errors.ts';
import { siteReferenceView } from './view.ts';

type Schemas = components['schemas'];
type Outcome = Schemas['FleetOutcome'];

/** Results of a call over several sites. Unknown sites are only in `errors`. */
export interface FleetDone {
  chosen: ResolvedSites;
  errors: ItemError[];
}

/** Returns the outcome of each known site, in the order of the call. */
function outcomes({ chosen, errors }: FleetDone): { site: Site; outcome: Outcome }[] {
  const failed = new Map(errors.map(({ site_id, code }) => [site_id, code]));
  return chosen.sites.map(({ site }) => {
    const code = failed.get(site.id);
    return { site, outcome: code === undefined ? 'success' : code === 'svc_still_running' ? 'running' : 'failed' };
  });
}

export function done<T>(participle: string, entries: [number, T][], succeeded: number, errors: ItemError[]) {
  return {
    success: 1 as const,
    message: `${succeeded} of ${entries.length} sites were ${participle}.`,
    data: Object.fromEntries(entries) as Record<string, T>,
    total: entries.length,
    errors,
  };
}

const successesIn = (sites: readonly { outcome: Outcome }[]): number =>
  sites.filter(({ outcome }) => outcome === 'success').length;

export function statesView(participle: string, call: FleetDone): Schemas['FleetDone'] {
  const sites = outcomes(call);
  const entries = sites.map(({ site, outcome }): [number, Outcome] => [site.id, outcome]);
  return done(participle, entries, successesIn(sites), call.errors);
}

export function syncedView(call: FleetDone): Schemas['SitesSynced'] {
  const sites = outcomes(call);
  const entries = sites.map(({ site, outcome }): [number, Schemas['SyncedSite']] => [
    site.id,
    { result: outcome, ...siteReferenceView(site) },
  ]);
  return done('synced', entries, successesIn(sites), call.errors);
}
