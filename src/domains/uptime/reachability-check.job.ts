import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type ParseStored,
} from '../../queue/index.ts';
import type { ReachabilityResult, ReachabilityCheck } from './reachability-check.ts';

/** Format of the results that releases before 0.2 stored. */
interface FormerReachabilityResult {
  site_id: number;
  site_url: string;
  reachable: boolean;
  response_time_ms: number;
  http_status: number;
}
const anyRelease = createUnvalidatedParser<ReachabilityResult | FormerReachabilityResult>();

export const parseReachabilityResult: ParseStored<ReachabilityResult> = (stored) => {
  const result = anyRelease(stored);
  if (!('site_id' in result)) return result;
  const { site_id: siteId, site_url: siteUrl, reachable, response_time_ms, http_status } = result;
  return { siteId, siteUrl, reachable, responseTimeMs: response_time_ms, httpStatus: http_status };
};

export type ReachabilityCheckJob = JobKind<NoInput, ReachabilityResult>;

export const reachabilityCheckJob = (uptime: Pick<ReachabilityCheck, 'check'>): ReachabilityCheckJob =>
  defineJobKind({
    name: 'check',
    about: 'site',
    input: noInput,
    result: parseReachabilityResult,
    whenCancelled: 'abort',
    retryPermission: 'sites:sync',
    perform: ({ subject, signal }) => uptime.check(subject, signal),
  });
