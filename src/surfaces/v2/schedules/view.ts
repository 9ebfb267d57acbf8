import type { components } from '../../../../generated/v2.ts';
import type { ScheduleRecord } from '../../../domains/schedules/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { BaseAddress } from '../base-address.ts';

export const scheduleView =
  ({ base }: BaseAddress) =>
  ({ timing, lastJobId, lastError, lastErrorAt, ...schedule }: ScheduleRecord): components['schemas']['Schedule'] => ({
    name: schedule.name,
    description: schedule.description,
    active: timing !== null,
    pattern: timing?.pattern ?? null,
    time_zone: timing?.timeZone ?? null,
    next_run: toIso(schedule.nextRunAt),
    last_run: toIso(schedule.lastRunAt),
    last_skipped: toIso(schedule.lastSkippedAt),
    last_job_id: lastJobId,
    status_url: lastJobId === null ? null : `${base}/jobs/${lastJobId}`,
    last_error: lastError === null ? null : { message: lastError, at: toIso(lastErrorAt ?? 0) },
  });
