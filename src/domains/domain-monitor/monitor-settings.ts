import type { Timing } from '../../part.ts';
import { DAY, HOUR } from '../../shared/clock.ts';
import { dailyAt, nextRun } from '../schedules/index.ts';
import type { Settings } from '../settings/index.ts';
import type { WatchedDomain } from './domain.ts';

export type MonitorSettings = Settings<'domain-monitor'>;

const PERIODS: Record<MonitorSettings['frequency'], number> = { daily: DAY, weekly: 7 * DAY, monthly: 30 * DAY };
/** A run that begins a little earlier in its day than the last one asks all the same. */
const SLACK = 4 * HOUR;

/** A good answer from before this moment is too old for a run at `now`. */
export const answeredBefore = ({ frequency }: MonitorSettings, now: number): number => now - PERIODS[frequency] + SLACK;

/** When domains are looked at; null while that is switched off. */
export const checkTiming = (settings: MonitorSettings, general: Settings<'general'>): Timing | null =>
  settings.automatic_checks === 1 ? dailyAt('3:40', general) : null;

/** When the registry of a domain is asked next by itself; null while it is not. */
export function nextCheckOf(
  domain: WatchedDomain | null,
  settings: MonitorSettings,
  timing: Timing | null,
  now: number,
): number | null {
  if (!timing) return null;
  const due = domain?.answeredAt == null ? now : domain.answeredAt + PERIODS[settings.frequency] - SLACK;
  return nextRun(timing, Math.max(now, due - 1));
}
