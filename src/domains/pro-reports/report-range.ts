import { parseDay } from '../../shared/calendar.ts';
import { DAY } from '../../shared/clock.ts';
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
  return day - zone.offsetAt(guess);
}

export function daysInRange(
  { startDate, endDate }: ReportRange,
  zone: TimeZone,
): { date: string; from: number; until: number }[] {
  const [first, last] = [Date.parse(startDate), Date.parse(endDate)];
  return Array.from({ length: (last - first) / DAY + 1 }, (_, index) => {
    const day = first + index * DAY;
    const date = new Date(day).toISOString().slice(0, 10);
    return { date, from: startOfDay(day, zone), until: startOfDay(day + DAY, zone) };
  });
}
