import { parseDay, monthsBetween, addMonths } from '../../shared/calendar.ts';
import { DAY, toDate } from '../../shared/clock.ts';
import { fromUnits } from '../../shared/decimal.ts';
import type { Cost, CostShare, CostTarget, CostTotals, Frequency } from './cost.ts';

const TIMES_A_YEAR: Readonly<Record<Frequency, number>> = {
  weekly: 52,
  monthly: 12,
  quarterly: 4,
  yearly: 1,
  lifetime: 0,
};
const MONTHS: Readonly<Record<'monthly' | 'quarterly' | 'yearly', number>> = { monthly: 1, quarterly: 3, yearly: 12 };

/** Returns the current day, such as `2026-11-21`, in the time zone of the operator. */
export type GetToday = () => string;

/** No currency has more decimals. With six, the maximum price in units is still a safe integer. */
export const PRICE_DECIMALS = 6;

export const toCurrencyAmount = (units: number | bigint): number => fromUnits(units, PRICE_DECIMALS);

/** Returns the minor unit of a currency with this number of decimals, such as a cent, in price units. */
export const minorUnitOf = (currencyDecimals: number): number => 10 ** (PRICE_DECIMALS - currencyDecimals);

export const costFrequencyOf = ({ type, renewalType }: Pick<Cost, 'type' | 'renewalType'>): Frequency =>
  type === 'lifetime' || renewalType === 'disabled' ? 'lifetime' : renewalType;

export function onlySiteTarget(targets: readonly CostTarget[]): number | null {
  const [first] = targets;
  return targets.length === 1 && first?.kind === 'site' ? first.id : null;
}

/**
 * Returns the share of one site, in price units. The price of a `multi_site` cost is divided in minor units of the
 * currency without loss: the remaining minor units go to the sites with the lowest IDs, and a fraction of a minor unit
 * goes to the first site. `before` is the number of sites with a lower ID.
 */
export function siteShareOf(
  { licenseType, priceUnits }: Pick<Cost, 'licenseType' | 'priceUnits'>,
  { sites, before }: { sites: number; before: number },
  minorUnit: number,
): number {
  if (licenseType === 'single_site') return priceUnits;
  const minors = Math.floor(priceUnits / minorUnit);
  const share = Math.floor(minors / sites) + (before < minors % sites ? 1 : 0);
  return share * minorUnit + (before === 0 ? priceUnits % minorUnit : 0);
}

/**
 * Returns monthly and yearly totals. A year is a whole number of payments, so the yearly total is exact, and the yearly
 * totals of sites add up. The monthly total is a twelfth of the yearly total, rounded to the nearest minor unit; a half
 * is rounded up.
 */
export function costTotalsOf(
  entries: readonly Pick<CostShare, 'amountUnits' | 'frequency'>[],
  minorUnit: number,
): CostTotals {
  // The sum for a fleet can be larger than a safe integer.
  const yearlyUnits = entries.reduce(
    (sum, { amountUnits, frequency }) => sum + BigInt(amountUnits) * BigInt(TIMES_A_YEAR[frequency]),
    0n,
  );
  const minor = BigInt(minorUnit);
  return { monthlyUnits: ((yearlyUnits + 6n * minor) / (12n * minor)) * minor, yearlyUnits };
}

/**
 * Returns the first day after today on which a cost falls due, or null if it never does. Each due day is counted in
 * whole periods from the last payment, so that the 31st returns after a shorter month.
 */
export function nextDue(lastRenewal: string | null, frequency: Frequency, today: string): string | null {
  const [last, now] = [lastRenewal === null ? null : parseDay(lastRenewal), parseDay(today)];
  if (last === null || now === null || frequency === 'lifetime') return null;
  const due = dayAfterPeriods(last, periodsUntilDue(last, frequency, now), frequency);
  return due > LAST_DAY ? null : toDate(due);
}

/** Returns the latest due day after the last payment, up to and including today, or null if there is none. */
export function lastDue(
  { anchor, lastRenewal }: { anchor: string | null; lastRenewal: string | null },
  frequency: Frequency,
  today: string,
): string | null {
  const [first, now] = [anchor === null ? null : parseDay(anchor), parseDay(today)];
  if (first === null || now === null || lastRenewal === null || frequency === 'lifetime') return null;
  const periods = periodsUntilDue(first, frequency, now) - 1;
  const due = periods === 0 ? null : toDate(dayAfterPeriods(first, periods, frequency));
  return due !== null && due > lastRenewal ? due : null;
}

/** A date of the contract has four digits for the year. */
const LAST_DAY = Date.UTC(9999, 11, 31);

const dayAfterPeriods = (day: number, periods: number, frequency: Exclude<Frequency, 'lifetime'>): number =>
  frequency === 'weekly' ? day + periods * 7 * DAY : addMonths(day, periods * MONTHS[frequency]);

function periodsUntilDue(last: number, frequency: Exclude<Frequency, 'lifetime'>, now: number): number {
  const passed = frequency === 'weekly' ? (now - last) / (7 * DAY) : monthsBetween(last, now) / MONTHS[frequency];
  let periods = Math.max(1, Math.floor(passed));
  while (dayAfterPeriods(last, periods, frequency) <= now) periods++;
  return periods;
}
