import type { components } from '../../../../generated/abilities.ts';
import type { ReachabilityResult } from '../../../domains/uptime/index.ts';
import type { ItemError } from '../../../shared/item-error.ts';

type Schemas = components['schemas'];

const siteReachabilityView = (result: ReachabilityResult) => ({
  site_id: result.siteId,
  site_url: result.siteUrl,
  reachable: result.reachable,
  response_time_ms: result.responseTimeMs,
  http_status: result.httpStatus,
});

export const checkView = (result: ReachabilityResult): Schemas['CheckSiteOutput'] => ({
  ...siteReachabilityView(result),
  checked: true,
});

export function checksView(results: readonly ReachabilityResult[], errors: ItemError[]): Schemas['SitesChecked'] {
  const reachable = results.filter((result) => result.reachable).length;
  const statuses: Record<string, number> = {};
  for (const { httpStatus } of results) statuses[httpStatus] = (statuses[httpStatus] ?? 0) + 1;
  return {
    results: results.map(siteReachabilityView),
    summary: {
      total_checked: results.length,
      reachable,
      unreachable: results.length - reachable,
      http_status: statuses,
    },
    errors,
  };
}
