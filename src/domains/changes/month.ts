import { FieldErrors } from '../../shared/fields.ts';

const MOST_MONTHS = 120;
const A_YEAR = 12;

/** First moment of the month of a time, in UTC; both in milliseconds since 1970. */
export const monthOf = (at: number): number => monthAfter(at, 0);

/** `2026-11` of the first moment of a month. */
export const monthName = (month: number): string => new Date(month).toISOString().slice(0, 7);

/**
 * From the first moment of one month until that of the one behind the last; both are named like `2026-11`, and without
 * names it is the year that ends with the current month. Throws `InvalidError`.
 */
export function monthsBetween(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: number; until: number } {
  const last = to === undefined ? monthOf(now) : Date.parse(`${to}-01`);
  const first = from === undefined ? monthAfter(last, 1 - A_YEAR) : Date.parse(`${from}-01`);
  new FieldErrors()
    .rule('from', first <= last, 'must not be behind the last month')
    .rule('from', first > monthAfter(last, -MOST_MONTHS), `must be at most ${MOST_MONTHS - 1} months before the last`)
    .refuse();
  return { from: first, until: monthAfter(last, 1) };
}

/** First moment of the month that begins so many months later. */
export function monthAfter(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}
