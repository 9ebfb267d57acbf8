import type { components } from '../../../../generated/v2.ts';
import { NEVER_RUN, type ScheduleRecord } from '../../../domains/schedules/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { isLimited, type SiteScope } from '../../../shared/site-scope.ts';
import type { BaseAddress } from '../base-address.ts';

/** Runs are about the whole fleet, so a caller who is limited to some sites sees none of their results. */
export const scheduleView =
  ({ base }: BaseAddress) =>
  (scope: SiteScope, { timing, ...schedule }: ScheduleRecord): components['schemas']['Schedule'] => {
    const { lastRunAt, lastSkippedAt, lastJobId, lastError, lastErrorAt } = isLimited(scope) ? NEVER_RUN : schedule;
    return {
      name: schedule.name,
      description: schedule.description,
      active: timing !== null,
      pattern: timing?.pattern ?? null,
      time_zone: timing?.timeZone ?? null,
      next_run: toIso(schedule.nextRunAt),
      last_run: toIso(lastRunAt),
      last_skipped: toIso(lastSkippedAt),
      last_job_id: lastJobId,
      status_url: lastJobId === null ? null : `${base}/jobs/${lastJobId}`,
      last_error: lastError === null ? null : { message: lastError, at: toIso(lastErrorAt ?? 0) },
    };
  };
