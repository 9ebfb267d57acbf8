import { DAY } from '../../shared/clock.ts';
import type { ReportRange } from './report.ts';

export const RATIO_DAYS = [7, 15, 30, 45, 60] as const;
const MOST_DAYS = Math.max(...RATIO_DAYS);

export const endOfRangeUpToNow = ({ until }: ReportRange, now: number): number => Math.min(until, now);

export const spanOfDays = (days: number, until: number): { from: number; until: number } => ({
  from: until - days * DAY,
  until,
});

export function spanForUptimeRatios(range: ReportRange, now: number): { from: number; until: number } {
  const until = endOfRangeUpToNow(range, now);
  return { from: Math.min(range.from, until - MOST_DAYS * DAY), until };
}
