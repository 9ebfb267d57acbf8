import { parseDay, monthsBetween, addMonths } from '../../shared/calendar.ts';
import { DAY, toDate } from '../../shared/clock.ts';
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

export const toCurrencyAmount = (minor: number): number => minor / 100;

export const costFrequencyOf = ({ type, renewalType }: Pick<Cost, 'type' | 'renewalType'>): Frequency =>
  type === 'lifetime' || renewalType === 'disabled' ? 'lifetime' : renewalType;

export function onlySiteTarget(targets: readonly CostTarget[]): number | null {
  const [first] = targets;
  return targets.length === 1 && first?.kind === 'site' ? first.id : null;
}

/**
 * Returns the share of one site in minor units. A price that is paid once is divided over its sites without loss: the
 * remaining units go to the sites with the lowest IDs. `before` is the number of sites with a lower ID.
 */
export function siteShareOf(
  { licenseType, priceMinor }: Pick<Cost, 'licenseType' | 'priceMinor'>,
  { sites, before }: { sites: number; before: number },
): number {
  if (licenseType === 'single_site') return priceMinor;
  return Math.floor(priceMinor / sites) + (before < priceMinor % sites ? 1 : 0);
}

/**
 * Returns monthly and yearly totals. The yearly total is exact, because a year is a whole number of payments, so the
 * yearly totals of sites add up. The monthly total is a twelfth of it, rounded to the nearest unit, half a unit
 * upwards.
 */
export function costTotalsOf(entries: readonly Pick<CostShare, 'amountMinor' | 'frequency'>[]): CostTotals {
  const yearlyMinor = entries.reduce((sum, entry) => sum + entry.amountMinor * TIMES_A_YEAR[entry.frequency], 0);
  return { monthlyMinor: Math.round(yearlyMinor / 12), yearlyMinor };
}

/**
 * Returns the first day after today on which a cost falls due, or null if it never does. Each due day is counted in
 * whole periods from the last payment, so that the 31st returns after a shorter month.
 */
export function nextDue(lastRenewal: string | null, frequency: Frequency, today: string): string | null {
  const [last, now] = [lastRenewal === null ? null : parseDay(lastRenewal), parseDay(today)];
  if (last === null || now === null || frequency === 'lifetime') return null;
  if (frequency === 'weekly') {
    const weeks = Math.max(1, Math.floor((now - last) / (7 * DAY)) + 1);
    return toDate(last + weeks * 7 * DAY);
  }
  const period = MONTHS[frequency];
  let periods = Math.max(1, Math.floor(monthsBetween(last, now) / period));
  while (addMonths(last, periods * period) <= now) periods++;
  return toDate(addMonths(last, periods * period));
}

/** Returns the last due day after the last payment, today included, or null if there is none. */
export function lastDue(
  { anchor, lastRenewal }: { anchor: string | null; lastRenewal: string | null },
  frequency: Frequency,
  today: string,
): string | null {
  let passed: string | null = null;
  for (let due = nextDue(anchor, frequency, lastRenewal ?? today); due !== null && due <= today;) {
    passed = due;
    due = nextDue(anchor, frequency, due);
  }
  return passed;
}
