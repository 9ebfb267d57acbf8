import { ConflictError } from '../../shared/errors.ts';
import { amountFor, NOTHING, roundedSeconds, type Amount, type Rounding } from './price.ts';
import { started, stopped, type TaskStatus, type Timer } from './timer.ts';

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

/** Where the hourly price of a task comes from. */
const PRICE_SOURCES = ['task', 'bucket', 'client', 'settings'] as const;
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** What a task costs an hour, and how its time is rounded and priced. */
export interface Terms {
  hourlyUnits: number;
  source: PriceSource;
  currency: string;
  decimals: number;
  rounding: Rounding | null;
}

/** What a stopped task came to. It stands until the task is opened again, or something that it follows from changes. */
export interface Settlement {
  seconds: number;
  hourlyUnits: number;
  source: PriceSource;
  currency: string;
  total: Amount;
  /** What it takes from its bucket, and on which day; null for what takes nothing. */
  debit: { seconds: number; day: string } | null;
}

/** A task as it is counted and priced. */
export interface TrackedTask {
  bucketId: number | null;
  billable: boolean;
  paymentStatus: PaymentStatus;
  /** Its own price; null for that of the bucket, or of the settings. */
  hourlyUnits: number | null;
  timer: Timer;
  settlement: Settlement | null;
}

/** All that is kept of a task beside its entries. Times are milliseconds since 1970. */
export interface Task extends TrackedTask {
  title: string;
  description: string;
  /** Null when the client was deleted, whose name stays. */
  clientId: number | null;
  clientName: string;
  siteId: number | null;
  siteUrl: string;
  timerMode: TimerMode;
  /** The day that it is counted on, as `2026-11-21`. */
  taskDate: string;
  /** Name of the user who started the timer last; empty until somebody has. */
  operator: string;
}

export interface StoredTask extends Task {
  id: number;
  /** Counts its changes. */
  revision: number;
  createdAt: number;
  updatedAt: number;
}

export interface TaskEntry {
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
  /** Absent for the default bucket of the client. */
  bucketId?: number | null;
  paymentStatus?: PaymentStatus;
  /** Absent for that of the settings. */
  timerMode?: TimerMode;
  billable?: boolean;
  /** In the currency, with at most eight decimals. */
  hourlyPrice?: number | null;
  /** Null for today. */
  taskDate?: string | null;
}

/** What is absent stays as it is. */
export type TaskPatch = Partial<NewTask> & { elapsedSeconds?: number };

/** Which tasks a list shows; the parts combine. */
export interface TaskFilter {
  status?: TaskStatus;
  paymentStatus?: PaymentStatus;
  clientId?: number;
  siteId?: number;
  /** Any of these. */
  siteIds?: readonly number[];
  bucketId?: number;
  billable?: boolean;
  dateFrom?: string;
  dateTo?: string;
  /** Part of the title, in any case. */
  search?: string;
}

export interface TaskOrder {
  by: 'task_date' | 'created_at' | 'title' | 'elapsed_seconds';
  descending: boolean;
}

/** From `sent` on time and price stand, since somebody else has seen them. */
const isBilled = ({ timer, paymentStatus }: Pick<TrackedTask, 'timer' | 'paymentStatus'>): boolean =>
  timer.status === 'stopped' && paymentStatus !== 'unbilled' && paymentStatus !== 'draft';

/** Throws `svc_task_billed`. */
export function refuseBilled(task: Pick<TrackedTask, 'timer' | 'paymentStatus'>): void {
  if (isBilled(task))
    throw new ConflictError('svc_task_billed', `The task is billed (${task.paymentStatus}); its time and price stand.`);
}

/** What the time of a task comes to; `day` is the one on which its bucket is debited. */
export function settlementOf(task: TrackedTask, terms: Terms, day: string): Settlement {
  const seconds = roundedSeconds(task.timer.recordedSeconds, terms.rounding);
  const { hourlyUnits, source, currency, decimals } = terms;
  return {
    seconds,
    hourlyUnits,
    source,
    currency,
    total: task.billable ? amountFor(seconds, hourlyUnits, decimals) : { ...NOTHING, decimals },
    debit: task.billable && task.bucketId !== null ? { seconds, day } : null,
  };
}

/** A task that was settled is opened again. Throws `svc_timer_already_running` and `svc_task_billed`. */
export function startedTask<T extends TrackedTask>(task: T, now: number): T {
  refuseBilled(task);
  return { ...task, timer: started(task.timer, now), settlement: null };
}

/** Throws `svc_timer_not_running`. */
export function stoppedTask<T extends TrackedTask>(task: T, now: number, terms: Terms, day: string): T {
  const ended = { ...task, timer: stopped(task.timer, now) };
  return { ...ended, settlement: settlementOf(ended, terms, day) };
}

/** A stopped task after a change of what its settlement follows from; it debits its bucket on the day that it did. */
export const resettled = <T extends TrackedTask>(task: T, terms: Terms, today: string): T => ({
  ...task,
  settlement: task.timer.status === 'stopped' ? settlementOf(task, terms, task.settlement?.debit?.day ?? today) : null,
});
