import { dayOf, monthsBetween, monthsLater } from '../../shared/calendar.ts';
import { DAY, toDate } from '../../shared/clock.ts';
import type { Cost, CostEntry, CostTarget, CostTotals, Frequency } from './cost.ts';

const TIMES_A_YEAR: Readonly<Record<Frequency, number>> = {
  weekly: 52,
  monthly: 12,
  quarterly: 4,
  yearly: 1,
  lifetime: 0,
};
const MONTHS: Readonly<Record<'monthly' | 'quarterly' | 'yearly', number>> = { monthly: 1, quarterly: 3, yearly: 12 };

/** The day that it is, `2026-11-21`, where the operator is. */
export type Today = () => string;

/** Minor units as callers read them: a number with two decimals. */
export const amountOf = (minor: number): number => minor / 100;

export const frequencyOf = ({ type, renewalType }: Pick<Cost, 'type' | 'renewalType'>): Frequency =>
  type === 'lifetime' || renewalType === 'disabled' ? 'lifetime' : renewalType;

/** The site that a cost concerns, when it concerns one alone. */
export function onlySite(targets: readonly CostTarget[]): number | null {
  const [first] = targets;
  return targets.length === 1 && first?.kind === 'site' ? first.id : null;
}

/**
 * What one site bears of a cost, in minor units. A price that is paid once is divided over its sites without loss: the
 * units that remain go to the sites with the lowest ids. `before` says how many of the sites have a lower id.
 */
export function shareOf(
  { licenseType, priceMinor }: Pick<Cost, 'licenseType' | 'priceMinor'>,
  { sites, before }: { sites: number; before: number },
): number {
  if (licenseType === 'single_site') return priceMinor;
  return Math.floor(priceMinor / sites) + (before < priceMinor % sites ? 1 : 0);
}

/**
 * Monthly and yearly sums. A year is a whole number of payments, so it is exact, and the yearly totals of sites add up;
 * a month is its twelfth, rounded once, half a unit upwards.
 */
export function totalsOf(entries: readonly Pick<CostEntry, 'amountMinor' | 'frequency'>[]): CostTotals {
  const yearlyMinor = entries.reduce((sum, entry) => sum + entry.amountMinor * TIMES_A_YEAR[entry.frequency], 0);
  return { monthlyMinor: Math.round(yearlyMinor / 12), yearlyMinor };
}

/**
 * The first day after today on which a cost falls due, counted in whole periods from the day it was last paid; null
 * when it never does. Each is counted from that day itself, so that the 31st comes back after a shorter month.
 */
export function nextDue(lastRenewal: string | null, frequency: Frequency, today: string): string | null {
  const [last, now] = [lastRenewal === null ? null : dayOf(lastRenewal), dayOf(today)];
  if (last === null || now === null || frequency === 'lifetime') return null;
  if (frequency === 'weekly') {
    const weeks = Math.max(1, Math.floor((now - last) / (7 * DAY)) + 1);
    return toDate(last + weeks * 7 * DAY);
  }
  const period = MONTHS[frequency];
  let periods = Math.max(1, Math.floor(monthsBetween(last, now) / period));
  while (monthsLater(last, periods * period) <= now) periods++;
  return toDate(monthsLater(last, periods * period));
}

/** The last day on which a cost fell due after it was last paid, today included; null when none has passed. */
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
