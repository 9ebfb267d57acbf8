import { ConflictError } from '../../shared/errors.ts';
import type { ListOrder } from '../../shared/list-order.ts';
import { priceOfDuration, ZERO_AMOUNT, roundedSeconds, type Amount, type Rounding } from './price.ts';
import { startTimer, stopTimer, type TaskStatus, type Timer } from './timer.ts';

export const PAYMENT_STATUSES = [
  'unbilled',
  'draft',
  'sent',
  'pending',
  'paid',
  'partially_paid',
  'overdue',
  'canceled',
  'disputed',
  'refunded',
  'write_off',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const TIMER_MODES = ['count_up', 'count_down'] as const;
export type TimerMode = (typeof TIMER_MODES)[number];

const PRICE_SOURCES = ['task', 'bucket', 'client', 'settings'] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

export interface BillingTerms {
  hourlyUnits: number;
  source: PriceSource;
  currency: string;
  decimals: number;
  rounding: Rounding | null;
}

/** Final time and price of a stopped task. It is kept until the task is restarted or one of its inputs changes. */
export interface Settlement {
  seconds: number;
  hourlyUnits: number;
  source: PriceSource;
  currency: string;
  total: Amount;
  debit: { seconds: number; day: string } | null;
}

export interface BillingRelevantTask {
  bucketId: number | null;
  billable: boolean;
  paymentStatus: PaymentStatus;
  hourlyUnits: number | null;
  timer: Timer;
  settlement: Settlement | null;
}

export interface Task extends BillingRelevantTask {
  title: string;
  description: string;
  /** Null if the client was deleted. Its name is kept. */
  clientId: number | null;
  clientName: string;
  siteId: number | null;
  siteUrl: string;
  timerMode: TimerMode;
  /** The day that the task belongs to, in the form `2026-11-21`. */
  taskDate: string;
  operator: string;
}

export interface StoredTask extends Task {
  id: number;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

export interface TaskTimeEntry {
  id: number;
  kind: 'timer' | 'correction';
  startedAt: number;
  endedAt: number | null;
  seconds: number;
  operator: string;
}

export interface NewTask {
  title: string;
  clientId: number;
  description?: string;
  siteId?: number | null;
  /** If omitted, the default bucket of the client is used. */
  bucketId?: number | null;
  paymentStatus?: PaymentStatus;
  /** If omitted, the mode from the settings is used. */
  timerMode?: TimerMode;
  billable?: boolean;
  /** In the currency, with at most eight decimals. */
  hourlyPrice?: number | null;
  taskDate?: string | null;
}

export type TaskPatch = Partial<NewTask> & { elapsedSeconds?: number };

export interface TaskFilter {
  status?: TaskStatus;
  paymentStatus?: PaymentStatus;
  clientId?: number;
  siteId?: number;
  siteIds?: readonly number[];
  bucketId?: number;
  billable?: boolean;
  dateFrom?: string;
  dateTo?: string;
  search?: string;
}

export type TaskOrder = ListOrder<'task_date' | 'created_at' | 'title' | 'elapsed_seconds'>;

/** True if time and price are fixed. They are fixed from the payment status `sent` on: someone else has seen them. */
const isBilled = ({ timer, paymentStatus }: Pick<BillingRelevantTask, 'timer' | 'paymentStatus'>): boolean =>
  timer.status === 'stopped' && paymentStatus !== 'unbilled' && paymentStatus !== 'draft';

export function refuseBilled(task: Pick<BillingRelevantTask, 'timer' | 'paymentStatus'>): void {
  if (isBilled(task))
    throw new ConflictError(
      'svc_task_billed',
      `The task is billed (${task.paymentStatus}), so its time and price cannot be changed.`,
    );
}

export function calculateSettlement(task: BillingRelevantTask, terms: BillingTerms, day: string): Settlement {
  const seconds = roundedSeconds(task.timer.recordedSeconds, terms.rounding);
  const { hourlyUnits, source, currency, decimals } = terms;
  return {
    seconds,
    hourlyUnits,
    source,
    currency,
    total: task.billable ? priceOfDuration(seconds, hourlyUnits, decimals) : { ...ZERO_AMOUNT, decimals },
    debit: task.billable && task.bucketId !== null ? { seconds, day } : null,
  };
}

export function startTask<T extends BillingRelevantTask>(task: T, now: number): T {
  refuseBilled(task);
  return { ...task, timer: startTimer(task.timer, now), settlement: null };
}

export function stopTask<T extends BillingRelevantTask>(task: T, now: number, terms: BillingTerms, day: string): T {
  const ended = { ...task, timer: stopTimer(task.timer, now) };
  return { ...ended, settlement: calculateSettlement(ended, terms, day) };
}

/** Keeps the day on which the time was debited from the bucket. */
export const recalculateSettlement = <T extends BillingRelevantTask>(
  task: T,
  terms: BillingTerms,
  today: string,
): T => ({
  ...task,
  settlement:
    task.timer.status === 'stopped' ? calculateSettlement(task, terms, task.settlement?.debit?.day ?? today) : null,
});
