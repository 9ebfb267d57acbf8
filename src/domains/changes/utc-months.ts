import { FieldErrors } from '../../shared/field-errors.ts';

const MOST_MONTHS = 120;
const A_YEAR = 12;

export const monthStartOf = (at: number): number => startOfMonthAfter(at, 0);

export const formatMonth = (month: number): string => new Date(month).toISOString().slice(0, 7);

/**
 * Returns the start of the first month, and `until`, the start of the month after the last one. Months are written like
 * `2026-11`. `to` defaults to the current month, and `from` to 11 months before `to`. Throws `InvalidError`.
 */
export function resolveMonthRange(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: number; until: number } {
  const last = to === undefined ? monthStartOf(now) : Date.parse(`${to}-01`);
  const first = from === undefined ? startOfMonthAfter(last, 1 - A_YEAR) : Date.parse(`${from}-01`);
  new FieldErrors()
    .require('from', first <= last, 'must not be after the last month')
    .require(
      'from',
      first > startOfMonthAfter(last, -MOST_MONTHS),
      `must be at most ${MOST_MONTHS - 1} months before the last month`,
    )
    .throwIfAny();
  return { from: first, until: startOfMonthAfter(last, 1) };
}

export function startOfMonthAfter(at: number, months: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}
