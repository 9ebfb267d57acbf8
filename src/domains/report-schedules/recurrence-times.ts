import { DAY, toDate } from '../../shared/clock.ts';
import { addMonths } from '../../shared/calendar.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import { nextRun } from '../schedules/index.ts';
import type { Frequency, RecurrenceRule } from './report-schedule.ts';

export function nextDue({ frequency, day, time }: RecurrenceRule, timeZone: string, after: number): number | null {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const [ofMonth, ofWeek] = frequency === 'monthly' ? [day, '*'] : ['*', day];
  return nextRun({ pattern: `${minute} ${hour} ${ofMonth} * ${ofWeek}`, timeZone }, after);
}

/**
 * Returns the last due time up to `now`. `first` is a due time that has passed. If several runs were missed, the caller
 * makes up only this one.
 */
export function lastDue(rule: RecurrenceRule, timeZone: string, first: number, now: number): number {
  let due = first;
  for (let next = nextDue(rule, timeZone, due); next !== null && next <= now; next = nextDue(rule, timeZone, due))
    due = next;
  return due;
}

/** Returns the last complete week (Monday to Sunday) or month before a day such as `2026-11-22`. */
export function lastCompletePeriod(frequency: Frequency, day: string): ReportDays {
  const start = startOfPeriod(frequency, day);
  const before = frequency === 'weekly' ? start - 7 * DAY : addMonths(start, -1);
  return { startDate: toDate(before), endDate: toDate(start - DAY) };
}

export const periodUpTo = (frequency: Frequency, day: string): ReportDays => ({
  startDate: toDate(startOfPeriod(frequency, day)),
  endDate: day,
});

export const isFullPeriod = (frequency: Frequency, { startDate, endDate }: ReportDays): boolean => {
  const full = lastCompletePeriod(frequency, toDate(Date.parse(endDate) + DAY));
  return full.startDate === startDate && full.endDate === endDate;
};

function startOfPeriod(frequency: Frequency, day: string): number {
  const today = Date.parse(day);
  return frequency === 'weekly'
    ? today - ((new Date(today).getUTCDay() + 6) % 7) * DAY
    : Date.parse(`${day.slice(0, 7)}-01`);
}
