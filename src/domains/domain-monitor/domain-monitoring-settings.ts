import type { CronTiming } from '../../platform/part.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { Settings } from '../settings/index.ts';
import { FAILED_RESTS } from './domain-repository.ts';
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
  { frequency }: DomainMonitoringSettings,
  now: number,
  runAfter: (time: number) => number | null,
): number | null {
  const after = (time: number | null | undefined, ms: number): number => (time == null || time > now ? now : time + ms);
  const due = Math.max(after(domain?.answeredAt, PERIODS[frequency] - SLACK), after(domain?.askedAt, FAILED_RESTS));
  return runAfter(Math.max(now, due - 1));
}
