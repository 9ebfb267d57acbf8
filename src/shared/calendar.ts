import { toDate } from './clock.ts';

/** In this file, a day is the start of that day in UTC, in milliseconds since 1970. */

export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(day) && toDate(day) === text ? day : null;
}

/**
 * Says when something expires, such as `expired 276 days ago` or `expires in 9 days`. `daysLeft` is rounded down: 0 is
 * less than a day ahead, and -1 less than a day ago.
 */
export function expiryInWords(daysLeft: number): string {
  if (daysLeft < 0) return `expired ${daysLeft === -1 ? 'less than a day' : `${-daysLeft} days`} ago`;
  return `expires in ${['less than a day', '1 day'][daysLeft] ?? `${daysLeft} days`}`;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses a day or a time in ISO 8601 to milliseconds since 1970. A day is its start in UTC, and a time without a zone
 * is UTC. Returns null for other texts and for days that do not exist, which `Date.parse` moves into the next month.
 */
export function parseIsoTime(text: string): number | null {
  const match = MOMENT.exec(text);
  if (!match || parseDay(text.slice(0, 10)) === null) return null;
  const at = Date.parse(text.length === 10 || match[1] !== undefined ? text : `${text}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Counts calendar months and ignores the day of the month: from 31 January to 1 February is 1. */
export function monthsBetween(from: number, to: number): number {
  const [start, end] = [new Date(from), new Date(to)];
  return (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
}

/** Keeps the day of the month, or returns the last day if the target month is too short. */
export function addMonths(day: number, months: number): number {
  const start = new Date(day);
  const month = start.getUTCMonth() + months;
  const later = new Date(day);
  later.setUTCFullYear(start.getUTCFullYear(), month, 1);
  const lastDay = new Date(day);
  lastDay.setUTCFullYear(start.getUTCFullYear(), month + 1, 0);
  return later.setUTCDate(Math.min(start.getUTCDate(), lastDay.getUTCDate()));
}
