import { DAY, toDate } from '../../shared/clock.ts';
import { parseDay, monthsBetween, addMonths } from '../../shared/calendar.ts';

export const RECURRENCES = ['none', 'weekly', 'monthly', 'quarterly', 'yearly'] as const;
export type Recurrence = (typeof RECURRENCES)[number];

/** Rules of a bucket, which is a budget of time. Days have the form `2026-11-21`. */
export interface BucketRules {
  /** Seconds per period, or in total without recurrence. */
  seconds: number;
  recurrence: Recurrence;
  /** A day on which a period begins. All other periods are counted from it, in both directions. */
  anchorDay: string;
  carryOver: boolean;
  /** Seconds that were carried over to the period that contains `carriedDay`. */
  carriedSeconds: number;
  carriedDay: string;
}

export interface Bucket extends BucketRules {
  title: string;
  description: string;
  /** Price per hour in units of 10⁻⁸ of the currency; null for the price from the settings. */
  hourlyUnits: number | null;
  currency: string;
  archived: boolean;
}

export interface StoredBucket extends Bucket {
  id: number;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** Time that was debited on one day, or a sum of several days of one period. */
export interface DebitedTime {
  /** Null for deleted clients, and in sums of all clients. */
  clientId: number | null;
  day: string;
  seconds: number;
}

export interface Period {
  /** First and last day; both belong to the period. */
  start: string;
  end: string;
}

/** Days whose debited time counts for a balance, and what their time is summed by. */
export interface CountedDays {
  from: string;
  to: string;
  by: 'client' | 'day';
}

export type BucketStatus = 'active' | 'exhausted' | 'archived';

export interface BucketBalance {
  period: Period | null;
  carriedSeconds: number;
  totalSeconds: number;
  usedSeconds: number;
  remainingSeconds: number;
  /** Used time by client. All deleted clients share one entry at the end. */
  usage: { clientId: number | null; seconds: number }[];
  status: BucketStatus;
}

export interface BucketRecord extends StoredBucket {
  standing: BucketBalance;
  clients: { id: number; name: string }[];
  tasksCount: number;
}

export interface NewBucket {
  title: string;
  /** At most two decimals. */
  hours: number;
  description?: string;
  price?: number | null;
  currency?: string;
  recurrence?: Recurrence;
  carryOver?: boolean;
  /** Null for today. */
  periodStart?: string | null;
  clients?: readonly number[];
}

export type BucketPatch = Partial<NewBucket> & { archived?: boolean };

export interface BucketFilter {
  clientId?: number;
  isOpen?: boolean;
  status?: BucketStatus;
  recurrence?: Recurrence;
  search?: string;
}

const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 } as const;

export function bucketPeriodAt(
  { recurrence, anchorDay }: Pick<BucketRules, 'recurrence' | 'anchorDay'>,
  day: string,
): Period | null {
  if (recurrence === 'none') return null;
  const [anchor, at] = [dayToMs(anchorDay), dayToMs(day)];
  if (recurrence === 'weekly') {
    const start = anchor + Math.floor((at - anchor) / (7 * DAY)) * 7 * DAY;
    return { start: toDate(start), end: toDate(start + 6 * DAY) };
  }
  const months = MONTHS[recurrence];
  let count = Math.floor(monthsBetween(anchor, at) / months);
  // The month of the day has begun, but its period may begin later in the month.
  if (addMonths(anchor, count * months) > at) count--;
  if (addMonths(anchor, (count + 1) * months) <= at) count++;
  const next = addMonths(anchor, (count + 1) * months);
  return { start: toDate(addMonths(anchor, count * months)), end: toDate(next - DAY) };
}

const dayToMs = (day: string): number => parseDay(day) ?? 0;
const dayAfter = (day: string): string => toDate(dayToMs(day) + DAY);
const dayBefore = (day: string): string => toDate(dayToMs(day) - DAY);

export function countedDaysOf(bucket: BucketRules, today: string): CountedDays[] {
  const period = bucketPeriodAt(bucket, today);
  if (!period) return [{ from: '', to: '9999-12-31', by: 'client' }];
  const current = { from: period.start, to: period.end, by: 'client' } as const;
  const from = bucketPeriodAt(bucket, bucket.carriedDay)?.start ?? period.start;
  if (!bucket.carryOver || from >= period.start) return [current];
  return [current, { from, to: dayBefore(period.start), by: 'day' }];
}

/** `usage` must contain everything that was debited on the days of `countedDaysOf`. */
export function bucketBalanceOf(
  bucket: BucketRules & { archived: boolean },
  usage: readonly DebitedTime[],
  today: string,
): BucketBalance {
  const period = bucketPeriodAt(bucket, today);
  const counted = period ? usage.filter(({ day }) => day >= period.start && day <= period.end) : usage;
  const carriedSeconds = carriedSecondsAt(bucket, usage, period);
  const totalSeconds = bucket.seconds + carriedSeconds;
  const usedSeconds = sumSeconds(counted);
  const remainingSeconds = totalSeconds - usedSeconds;
  const status = bucket.archived ? 'archived' : remainingSeconds <= 0 ? 'exhausted' : 'active';
  return {
    period,
    carriedSeconds,
    totalSeconds,
    usedSeconds,
    remainingSeconds,
    usage: sumUsageByClient(counted),
    status,
  };
}

/** Unused time is carried over to the next period. Overdrawn time is not. */
function carriedSecondsAt(bucket: BucketRules, usage: readonly DebitedTime[], current: Period | null): number {
  if (!bucket.carryOver || !current) return 0;
  let period = bucketPeriodAt(bucket, bucket.carriedDay) as Period;
  const { start } = period;
  const earlier = usage
    .filter(({ day }) => day >= start && day < current.start)
    .sort((one, other) => (one.day < other.day ? -1 : 1));
  let carried = bucket.carriedSeconds;
  let at = 0;
  for (; period.start < current.start; period = bucketPeriodAt(bucket, dayAfter(period.end)) as Period) {
    let left = carried + bucket.seconds;
    for (let debit = earlier[at]; debit && debit.day <= period.end; debit = earlier[++at]) left -= debit.seconds;
    carried = Math.max(0, left);
  }
  return carried;
}

const sumSeconds = (usage: readonly DebitedTime[]): number => usage.reduce((sum, { seconds }) => sum + seconds, 0);

function sumUsageByClient(usage: readonly DebitedTime[]): BucketBalance['usage'] {
  const sums = new Map<number | null, number>();
  for (const { clientId, seconds } of usage) sums.set(clientId, (sums.get(clientId) ?? 0) + seconds);
  return [...sums]
    .map(([clientId, seconds]) => ({ clientId, seconds }))
    .sort((one, other) => (one.clientId ?? Infinity) - (other.clientId ?? Infinity));
}

/**
 * Returns the new starting point for the carried time after the rules changed from `before` to `after`. The current
 * period keeps the time that it already carries, and earlier periods are not recalculated.
 */
export function carryOverAfterChange(
  before: BucketRules & { archived: boolean },
  after: BucketRules,
  usage: readonly DebitedTime[],
  today: string,
): Pick<BucketRules, 'carriedSeconds' | 'carriedDay'> {
  const { carriedSeconds } = bucketBalanceOf(before, usage, today);
  return { carriedSeconds, carriedDay: bucketPeriodAt(after, today)?.start ?? today };
}
