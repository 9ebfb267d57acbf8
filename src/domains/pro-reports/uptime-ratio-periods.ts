import { DAY } from '../../shared/clock.ts';
import type { ReportRange } from './report.ts';

export const RATIO_DAYS = [7, 15, 30, 45, 60] as const;
const MOST_DAYS = Math.max(...RATIO_DAYS);

export const endOfReportRange = ({ until }: ReportRange, now: number): number => Math.min(until, now);

export const spanOfDays = (days: number, until: number): { from: number; until: number } => ({
  from: until - days * DAY,
  until,
});

export function ratioSpan(range: ReportRange, now: number): { from: number; until: number } {
  const until = endOfReportRange(range, now);
  return { from: Math.min(range.from, until - MOST_DAYS * DAY), until };
}
