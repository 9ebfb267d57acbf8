import { toDate } from './clock.ts';

/** Days of the calendar, as the milliseconds since 1970 at which they begin in UTC. */

/** `text` as milliseconds since 1970 when it is a day of the calendar in the form `2026-11-21`; else null. */
export function dayOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(day) && toDate(day) === text ? day : null;
}

/** From month to month, whatever the day. */
export function monthsBetween(from: number, to: number): number {
  const [start, end] = [new Date(from), new Date(to)];
  return (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
}

/** The same day of a later month, or the last day of that month when it is too short. */
export function monthsLater(day: number, months: number): number {
  const start = new Date(day);
  const month = start.getUTCMonth() + months;
  const later = new Date(day);
  later.setUTCFullYear(start.getUTCFullYear(), month, 1);
  const lastDay = new Date(day);
  lastDay.setUTCFullYear(start.getUTCFullYear(), month + 1, 0);
  return later.setUTCDate(Math.min(start.getUTCDate(), lastDay.getUTCDate()));
}
