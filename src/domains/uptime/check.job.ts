import {
  createUnvalidatedParser,
  defineJobKind,
  noInput,
  type JobKind,
  type NoInput,
  type ParseStored,
} from '../../queue/index.ts';
import type { CheckResult, UptimeCheck } from './uptime-check.ts';

/** Format of the results that releases before 0.2 stored. */
interface FormerResult {
  site_id: number;
  site_url: string;
  reachable: boolean;
  response_time_ms: number;
  http_status: number;
}
const anyRelease = createUnvalidatedParser<CheckResult | FormerResult>();

export const parseCheckResult: ParseStored<CheckResult> = (stored) => {
  const result = anyRelease(stored);
  if (!('site_id' in result)) return result;
  const { site_id: siteId, site_url: siteUrl, reachable, response_time_ms, http_status } = result;
  return { siteId, siteUrl, reachable, responseTimeMs: response_time_ms, httpStatus: http_status };
};

export type CheckJob = JobKind<NoInput, CheckResult>;

export const checkJob = (uptime: Pick<UptimeCheck, 'check'>): CheckJob =>
  defineJobKind({
    name: 'check',
    about: 'site',
    input: noInput,
    result: parseCheckResult,
    whenCancelled: 'abort',
    perform: ({ subject, signal }) => uptime.check(subject, signal),
  });
