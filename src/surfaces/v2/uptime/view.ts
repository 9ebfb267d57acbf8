import type { components } from '../../../../generated/v2.ts';
import type { Site } from '../../../domains/sites/index.ts';
import type { ReachabilityResult } from '../../../domains/uptime/index.ts';
import { fleetResponseBody, type FleetCallResult } from '../sites/fleet-view.ts';
import { siteReferenceView } from '../sites/view.ts';

type Schemas = components['schemas'];

export const checkView = (
  site: Site,
  { reachable, httpStatus, responseTimeMs }: Pick<ReachabilityResult, 'reachable' | 'httpStatus' | 'responseTimeMs'>,
): Schemas['CheckedSite'] => ({
  ...siteReferenceView(site),
  status: reachable ? 1 : 0,
  http_code: httpStatus,
  response_time_ms: responseTimeMs,
});

export function checkedSitesView(
  { chosen, errors }: FleetCallResult,
  results: readonly ReachabilityResult[],
): Schemas['SitesChecked'] {
  const byId = new Map(results.map((result) => [result.siteId, result]));
  const entries = chosen.sites.flatMap(({ site }): [number, Schemas['CheckedSite']][] => {
    const result = byId.get(site.id);
    return result ? [[site.id, checkView(site, result)]] : [];
  });
  return fleetResponseBody('checked', entries, entries.length, errors);
}
