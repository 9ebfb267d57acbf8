import type { ItemHandler } from '../../queue/index.ts';
import { siteIdOf } from '../sites/index.ts';
import type { UptimeCheck } from './uptime-check.ts';

/** What a job keeps of one site, in the words in which callers read it. */
export interface CheckItemResult {
  site_id: number;
  site_url: string;
  checked: true;
  reachable: boolean;
  response_time_ms: number;
  http_status: number;
}

/** One site of a job of kind `check`. After an interruption it is simply asked again. */
export function checkJob(uptime: Pick<UptimeCheck, 'check'>): ItemHandler {
  return async (call): Promise<CheckItemResult> => {
    const { siteId, siteUrl, reachable, responseTimeMs, httpStatus } = await uptime.check(siteIdOf(call));
    return {
      site_id: siteId,
      site_url: siteUrl,
      checked: true,
      reachable,
      response_time_ms: responseTimeMs,
      http_status: httpStatus,
    };
  };
}
