import type { components } from '../../../../generated/abilities.ts';
import type { CheckItemResult, CheckResult } from '../../../domains/uptime/index.ts';
import type { ItemError } from '../../../shared/errors.ts';

type Schemas = components['schemas'];

export const checkView = (result: CheckResult): Schemas['CheckSiteOutput'] => ({
  site_id: result.siteId,
  site_url: result.siteUrl,
  checked: true,
  reachable: result.reachable,
  response_time_ms: result.responseTimeMs,
  http_status: result.httpStatus,
});

export function checksView(results: readonly CheckItemResult[], errors: ItemError[]): Schemas['CheckSitesDone'] {
  const reachable = results.filter((result) => result.reachable).length;
  const statuses: Record<string, number> = {};
  for (const { http_status } of results) statuses[http_status] = (statuses[http_status] ?? 0) + 1;
  return {
    results: results.map(({ site_id, site_url, reachable, response_time_ms, http_status }) => ({
      site_id,
      site_url,
      reachable,
      response_time_ms,
      http_status,
    })),
    summary: {
      total_checked: results.length,
      reachable,
      unreachable: results.length - reachable,
      http_status: statuses,
    },
    errors,
  };
}
