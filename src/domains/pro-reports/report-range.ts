import { parseDay } from '../../shared/calendar.ts';
import { DAY, toDate } from '../../shared/clock.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { TimeZone } from '../settings/index.ts';
import type { ReportDays, ReportRange } from './report.ts';

const MOST_DAYS = 366;

export function parseReportRange(
  { startDate, endDate }: ReportDays,
  { zoneName, zone }: { zoneName: string; zone: TimeZone },
): ReportRange {
  const [first, last] = [parseDay(startDate), parseDay(endDate)];
  const errors = new FieldErrors()
    .require('startDate', first !== null, 'must be a date such as 2026-11-21')
    .require('endDate', last !== null, 'must be a date such as 2026-11-21');
  errors.throwIfAny();
  const [from, to] = [first ?? 0, last ?? 0];
  errors
    .require('endDate', to >= from, 'must not be before the first day')
    .require('endDate', to - from < MOST_DAYS * DAY, `must not make the range longer than ${MOST_DAYS} days`)
    .throwIfAny();
  return {
    startDate,
    endDate,
    zone: zoneName,
    from: startOfDay(from, zone),
    until: startOfDay(to + DAY, zone),
  };
}

/** Returns the first moment of a local day, even if clocks change at midnight. `day` is midnight in UTC. */
function startOfDay(day: number, zone: TimeZone): number {
  const guess = day - zone.offsetAt(day);
  const start = day - zone.offsetAt(guess);
  // Local midnight does not exist if the clocks go forward then. `guess` is the moment of that change.
  return start + zone.offsetAt(start) < day ? guess : start;
}

/** Day in the time zone of a report. Times are milliseconds since 1970. */
export interface DayOfRange {
  date: string;
  from: number;
  until: number;
}

export function daysInRange({ startDate, endDate }: ReportRange, zone: TimeZone): DayOfRange[] {
  const [first, last] = [Date.parse(startDate), Date.parse(endDate)];
  const days: { date: string; from: number; until: number }[] = [];
  let from = startOfDay(first, zone);
  for (let day = first; day <= last; day += DAY) {
    const until = startOfDay(day + DAY, zone);
    days.push({ date: toDate(day), from, until });
    from = until;
  }
  return days;
}
