import type { CronTiming } from '../../platform/part.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import { dailyTimingAt, nextRun } from '../schedules/index.ts';
import type { Settings } from '../settings/index.ts';
import type { WatchedDomain } from './watched-domain.ts';

export type DomainMonitoringSettings = Settings<'domain-monitor'>;

const PERIODS: Record<DomainMonitoringSettings['frequency'], number> = {
  daily: DAY,
  weekly: 7 * DAY,
  monthly: 30 * DAY,
};
/** Tolerance for a run that starts earlier in the day than the last one. Without it, that run would skip domains. */
const SLACK = 4 * HOUR;

export const oldestFreshAnswer = ({ frequency }: DomainMonitoringSettings, now: number): number =>
  now - PERIODS[frequency] + SLACK;

export const automaticCheckTiming = (
  settings: DomainMonitoringSettings,
  general: Settings<'general'>,
): CronTiming | null => (settings.automatic_checks === 1 ? dailyTimingAt('3:40', general) : null);

export function nextCheckOf(
  domain: WatchedDomain | null,
  settings: DomainMonitoringSettings,
  timing: CronTiming | null,
  now: number,
): number | null {
  if (!timing) return null;
  const due = domain?.answeredAt == null ? now : domain.answeredAt + PERIODS[settings.frequency] - SLACK;
  return nextRun(timing, Math.max(now, due - 1));
}
