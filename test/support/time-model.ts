import fc from 'fast-check';

/**
 * Second computation of time and money of tasks, independent of the tested code. It stores all events and adds them up
 * each time, in fractions of integers.
 */

export type ModelStep =
  | { do: 'start' | 'pause' | 'stop'; task: number }
  | { do: 'wait'; ms: number }
  | { do: 'edit'; task: number; seconds: number }
  | { do: 'price'; task: number; cents: number | null }
  | { do: 'bill'; task: number; billable: boolean }
  | { do: 'move'; task: number; bucket: number | null }
  | { do: 'refill'; bucket: number; cents: number | null }
  | { do: 'round'; enabled: boolean; mode: 'nearest' | 'up' | 'down'; minutes: 1 | 5 | 6 | 10 | 15 | 30 | 60 }
  | { do: 'restart' };

export const TASKS = 3;
export const BUCKETS = 2;

const task = fc.nat({ max: TASKS - 1 });
const bucket = fc.nat({ max: BUCKETS - 1 });
const cents = fc.option(fc.nat({ max: 20_000 }));

/** Mostly normal work. Sometimes the clock is set back, or the process restarts. */
export const anyStep: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom('start', 'pause', 'stop'), task }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.nat({ max: 4 * 3_600_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.integer({ min: -7_200_000, max: 0 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit'), task, seconds: fc.nat({ max: 50_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('price'), task, cents }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bill'), task, billable: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move'), task, bucket: fc.option(bucket) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refill'), bucket, cents }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('round'),
      enabled: fc.boolean(),
      mode: fc.constantFrom('nearest', 'up', 'down'),
      minutes: fc.constantFrom(1, 5, 6, 10, 15, 30, 60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart') }) },
);

/** Totals of a task. Money is in hundredths. */
export interface ExpectedSum {
  status: string;
  elapsed: number;
  billed: number | null;
  total: number;
}

type Event = { at: number; what: 'start' | 'end' } | { at: number; what: 'edit'; seconds: number };

interface ModelTask {
  events: Event[];
  status: 'idle' | 'running' | 'paused' | 'stopped';
  cents: number | null;
  billable: boolean;
  bucket: number | null;
  /** Values at the time of the stop. */
  fixed: { billed: number; total: number; debited: number } | null;
}

/** Cents per hour if neither the task nor its bucket has a price. */
export const DEFAULT_CENTS = 6_000;

export class TimeModel {
  now: number;
  readonly #created: number;
  readonly tasks: ModelTask[];
  readonly bucketCents: (number | null)[] = Array.from({ length: BUCKETS }, () => null);
  rounding: { mode: 'nearest' | 'up' | 'down'; minutes: number } | null = null;

  constructor(now: number) {
    this.now = now;
    this.#created = Math.floor(now / 1000);
    this.tasks = Array.from({ length: TASKS }, () => ({
      events: [],
      status: 'idle',
      cents: null,
      billable: true,
      bucket: null,
      fixed: null,
    }));
  }

  /** Returns true if the step is allowed. Other steps change nothing. */
  apply(step: ModelStep): boolean {
    switch (step.do) {
      case 'wait':
        this.now += step.ms;
        return true;
      case 'restart':
        return true;
      case 'round':
        this.rounding = step.enabled ? step : null;
        return true;
      case 'refill':
        this.bucketCents[step.bucket] = step.cents;
        return true;
      default:
        return this.#applyTo(this.tasks[step.task] as ModelTask, step);
    }
  }

  sumOf(index: number): ExpectedSum {
    const task = this.tasks[index] as ModelTask;
    const elapsed = this.#elapsed(task);
    const { billed, total } = task.fixed ?? this.#priced(task, elapsed);
    return { status: task.status, elapsed, billed: task.fixed ? billed : null, total };
  }

  /** Returns the seconds that tasks have used of a bucket. */
  usedOf(bucket: number): number {
    return this.tasks
      .filter((task) => task.bucket === bucket)
      .reduce((sum, { fixed }) => sum + (fixed?.debited ?? 0), 0);
  }

  #applyTo(task: ModelTask, step: Extract<ModelStep, { task: number }>): boolean {
    const isRunning = task.status === 'running';
    switch (step.do) {
      case 'start':
        if (this.tasks.some(({ status }) => status === 'running')) return false;
        task.events.push({ at: this.#moment(task), what: 'start' });
        task.status = 'running';
        task.fixed = null;
        return true;
      case 'pause':
        if (!isRunning) return false;
        task.events.push({ at: this.#moment(task), what: 'end' });
        task.status = 'paused';
        return true;
      case 'stop':
        if (!isRunning && task.status !== 'paused') return false;
        task.events.push({ at: this.#moment(task), what: 'end' });
        task.status = 'stopped';
        this.#fix(task);
        return true;
      case 'edit':
        if (isRunning) return false;
        if (step.seconds === this.#elapsed(task)) return true;
        task.events.push({ at: this.#moment(task), what: 'edit', seconds: step.seconds });
        break;
      case 'move':
        if (step.bucket === task.bucket) return true;
        if (isRunning) return false;
        task.bucket = step.bucket;
        break;
      case 'price':
        if (step.cents === task.cents) return true;
        task.cents = step.cents;
        break;
      case 'bill':
        if (step.billable === task.billable) return true;
        task.billable = step.billable;
    }
    if (task.status === 'stopped') this.#fix(task);
    return true;
  }

  /** A clock that was set back stands still until it reaches the last stored time. */
  #moment(task: ModelTask): number {
    const stands = Math.max(this.#created, Math.floor(this.now / 1000));
    return task.events.reduce((latest, { at }) => (at > latest ? at : latest), stands);
  }

  #elapsed(task: ModelTask): number {
    let seconds = 0;
    let open: number | null = null;
    for (const event of task.events) {
      if (event.what === 'edit') seconds = event.seconds;
      else if (event.what === 'start') open = event.at;
      else {
        seconds += open === null ? 0 : event.at - open;
        open = null;
      }
    }
    return seconds + (open === null ? 0 : this.#moment(task) - open);
  }

  #fix(task: ModelTask): void {
    const { billed, total } = this.#priced(task, this.#elapsed(task));
    task.fixed = { billed, total, debited: task.billable && task.bucket !== null ? billed : 0 };
  }

  #priced(task: ModelTask, elapsed: number): { billed: number; total: number } {
    const billed = this.#rounded(elapsed);
    if (!task.billable) return { billed, total: 0 };
    const ofBucket = task.bucket === null ? null : (this.bucketCents[task.bucket] ?? null);
    const hourly = task.cents ?? ofBucket ?? DEFAULT_CENTS;
    // Hundredths are integers in units of 1/3,600, so halves are exact.
    const parts = billed * hourly;
    return { billed, total: Math.floor(parts / 3600) + (parts % 3600 >= 1800 ? 1 : 0) };
  }

  #rounded(seconds: number): number {
    if (!this.rounding) return seconds;
    const unit = this.rounding.minutes * 60;
    const rest = seconds % unit;
    const isUp = { up: rest > 0, down: false, nearest: rest * 2 >= unit }[this.rounding.mode];
    return seconds - rest + (isUp ? unit : 0);
  }
}
