import { DAY, toDate } from '../../shared/clock.ts';
import { addMonths } from '../../shared/calendar.ts';
import { nextRun } from '../schedules/index.ts';
import type { RecurrenceRule } from './report-schedule.ts';

export function nextDue({ frequency, day, time }: RecurrenceRule, timeZone: string, after: number): number | null {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const [ofMonth, ofWeek] = frequency === 'monthly' ? [day, '*'] : ['*', day];
  return nextRun({ pattern: `${minute} ${hour} ${ofMonth} * ${ofWeek}`, timeZone }, after);
}

/** Returns the last due time up to `now`, starting with the due time `first`. So missed runs are made up only once. */
export function lastDue(rule: RecurrenceRule, timeZone: string, first: number, now: number): number {
  let due = first;
  for (let next = nextDue(rule, timeZone, due); next !== null && next <= now; next = nextDue(rule, timeZone, due))
    due = next;
  return due;
}

/** Returns the last complete week (Monday to Sunday) or month before a day such as `2026-11-22`. */
export function periodBefore(
  frequency: RecurrenceRule['frequency'],
  day: string,
): { startDate: string; endDate: string } {
  const today = Date.parse(`${day}T00:00:00Z`);
  if (frequency === 'weekly') {
    const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
    const monday = today - sinceMonday * DAY;
    return { startDate: toDate(monday - 7 * DAY), endDate: toDate(monday - DAY) };
  }
  const first = Date.parse(`${day.slice(0, 7)}-01T00:00:00Z`);
  return { startDate: toDate(addMonths(first, -1)), endDate: toDate(first - DAY) };
}
