import { DAY, SECOND } from './clock.ts';

/** Longest wait that is returned. A header can ask for thousands of years. */
const LONGEST = DAY;

/** Formats of RFC 9110, 5.6.7: the current one and two obsolete ones. The last has no zone and is in UTC. */
const HTTP_DATES = [
  /^[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} gmt$/i,
  /^[a-z]{6,9}, \d{2}-[a-z]{3}-\d{2} \d{2}:\d{2}:\d{2} gmt$/i,
  /^[a-z]{3} [a-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/i,
];

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait, from 0 to a day, or null if the header is missing
 * or is neither a number of seconds nor an HTTP date. `Date.parse` alone would accept `-5` and `1.5` as dates in 2001.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST);
  if (!HTTP_DATES.some((format) => format.test(text))) return null;
  const time = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : Math.min(Math.max(0, time - now), LONGEST);
}
