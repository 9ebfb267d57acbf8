import type { Knex } from 'knex';
import { isDuplicate, lockForUpdate } from '../../db/dialect.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { PaymentStatus, PriceSource, Settlement, StoredTask, Task, TimerMode } from './task.ts';
import type { TaskStatus, Timer } from './timer.ts';
import { isTaskInScope } from './tracker-scope-read-model.ts';

export interface TaskRow {
  id: number;
  title: string;
  description: string;
  client_id: number | null;
  client_name: string;
  site_id: number | null;
  site_url: string;
  bucket_id: number | null;
  status: TaskStatus;
  payment_status: PaymentStatus;
  timer_mode: TimerMode;
  billable: number;
  hourly_units: number | string | null;
  task_date: string;
  recorded_seconds: number | string;
  running_since: number | string | null;
  latest_at: number | string;
  started_at: number | string | null;
  paused_at: number | string | null;
  stopped_at: number | string | null;
  operator: string;
  billed_seconds: number | string | null;
  billed_hourly_units: number | string | null;
  billed_source: PriceSource | null;
  billed_currency: string | null;
  total_minor: number | string | null;
  total_decimals: number | null;
  debit_seconds: number | string | null;
  debit_day: string | null;
  revision: number;
  created_at: number | string;
  updated_at: number | string;
}

export const TASK_COLUMNS = [
  'id',
  'title',
  'description',
  'client_id',
  'client_name',
  'site_id',
  'site_url',
  'bucket_id',
  'status',
  'payment_status',
  'timer_mode',
  'billable',
  'hourly_units',
  'task_date',
  'recorded_seconds',
  'running_since',
  'latest_at',
  'started_at',
  'paused_at',
  'stopped_at',
  'operator',
  'billed_seconds',
  'billed_hourly_units',
  'billed_source',
  'billed_currency',
  'total_minor',
  'total_decimals',
  'debit_seconds',
  'debit_day',
  'revision',
  'created_at',
  'updated_at',
] as const satisfies (keyof TaskRow)[];

type WrittenTaskRow = Omit<TaskRow, 'id' | 'revision' | 'created_at' | 'updated_at'> & { title_key: string };

const numberIn = (value: number | string | null): number | null => (value === null ? null : Number(value));

function settlementIn(row: TaskRow): Settlement | null {
  if (row.billed_seconds === null) return null;
  return {
    seconds: Number(row.billed_seconds),
    hourlyUnits: Number(row.billed_hourly_units),
    source: row.billed_source ?? 'settings',
    currency: row.billed_currency ?? '',
    total: { minor: Number(row.total_minor), decimals: Number(row.total_decimals) },
    debit: row.debit_day === null ? null : { seconds: Number(row.debit_seconds), day: row.debit_day },
  };
}

const timerIn = (row: TaskRow): Timer => ({
  status: row.status,
  recordedSeconds: Number(row.recorded_seconds),
  runningSince: numberIn(row.running_since),
  latestAt: Number(row.latest_at),
  startedAt: numberIn(row.started_at),
  pausedAt: numberIn(row.paused_at),
  stoppedAt: numberIn(row.stopped_at),
});

export const toTask = (row: TaskRow): StoredTask => ({
  id: row.id,
  title: row.title,
  description: row.description,
  clientId: row.client_id,
  clientName: row.client_name,
  siteId: row.site_id,
  siteUrl: row.site_url,
  bucketId: row.bucket_id,
  paymentStatus: row.payment_status,
  timerMode: row.timer_mode,
  billable: row.billable === 1,
  hourlyUnits: numberIn(row.hourly_units),
  taskDate: row.task_date,
  operator: row.operator,
  timer: timerIn(row),
  settlement: settlementIn(row),
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const toRow = ({ timer, settlement, ...task }: Task): WrittenTaskRow => ({
  title: task.title,
  title_key: nameKeyOf(task.title),
  description: task.description,
  client_id: task.clientId,
  client_name: task.clientName,
  site_id: task.siteId,
  site_url: task.siteUrl,
  bucket_id: task.bucketId,
  status: timer.status,
  payment_status: task.paymentStatus,
  timer_mode: task.timerMode,
  billable: task.billable ? 1 : 0,
  hourly_units: task.hourlyUnits,
  task_date: task.taskDate,
  recorded_seconds: timer.recordedSeconds,
  running_since: timer.runningSince,
  latest_at: timer.latestAt,
  started_at: timer.startedAt,
  paused_at: timer.pausedAt,
  stopped_at: timer.stoppedAt,
  operator: task.operator,
  billed_seconds: settlement?.seconds ?? null,
  billed_hourly_units: settlement?.hourlyUnits ?? null,
  billed_source: settlement?.source ?? null,
  billed_currency: settlement?.currency ?? null,
  total_minor: settlement?.total.minor ?? null,
  total_decimals: settlement?.total.decimals ?? null,
  debit_seconds: settlement?.debit?.seconds ?? null,
  debit_day: settlement?.debit?.day ?? null,
});

export const taskNotFound = (): NotFoundError => new NotFoundError('svc_task_not_found', 'No task has this ID.');

export interface TimerOperator {
  userId: number;
  name: string;
}

export class TaskRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(task: Task): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const [id] = await this.#db('time_tasks').insert({ ...toRow(task), revision: 1, ...times });
    return id as number;
  }

  async lock(scope: SiteScope, id: number): Promise<StoredTask> {
    const query = this.#db('time_tasks')
      .where({ id })
      .first<TaskRow | undefined>(...TASK_COLUMNS);
    const row: TaskRow | undefined = await lockForUpdate(this.#db, query);
    const isVisible = await this.isInScope(scope, id);
    if (!row || !isVisible) throw taskNotFound();
    return toTask(row);
  }

  isInScope(scope: SiteScope, id: number): Promise<boolean> {
    return isTaskInScope(this.#db, scope, id);
  }

  /** `runBy` is the ID of the user who runs the timer, or null if nobody does. Undefined keeps the stored value. */
  async update(id: number, task: Task, runBy?: number | null, updatedAt = this.#now): Promise<void> {
    const revision = this.#db.raw('revision + 1');
    const run = runBy === undefined ? {} : { run_by: runBy };
    await this.#db('time_tasks')
      .where({ id })
      .update({ ...toRow(task), ...run, revision, updated_at: updatedAt });
  }

  /** The database also deletes the entries of the task. */
  async delete(id: number): Promise<void> {
    await this.#db('time_tasks').where({ id }).delete();
  }

  /** Waits for other timer starts of the same user, so that none of them violates the unique key of `run_by`. */
  async lockOperator({ userId }: TimerOperator): Promise<void> {
    await lockForUpdate(this.#db, this.#db('time_operators').where({ user_id: userId }).select('user_id'));
  }

  async runningOf({ userId }: TimerOperator): Promise<number | null> {
    const row = await this.#db('time_tasks').where({ run_by: userId }).first<{ id: number } | undefined>('id');
    return row?.id ?? null;
  }

  async openEntry(taskId: number, startedAt: number, operator: string): Promise<void> {
    const entry = { task_id: taskId, kind: 'timer', started_at: startedAt, ended_at: null, seconds: 0, operator };
    await this.#db('time_entries').insert(entry);
  }

  async closeEntry(taskId: number, endedAt: number): Promise<void> {
    const seconds = this.#db.raw('(? - started_at) / 1000', [endedAt]);
    await this.#db('time_entries')
      .where({ task_id: taskId })
      .whereNull('ended_at')
      .update({ seconds, ended_at: endedAt });
  }

  async addCorrection(taskId: number, at: number, seconds: number, operator: string): Promise<void> {
    const entry = { task_id: taskId, kind: 'correction', started_at: at, ended_at: at, seconds, operator };
    await this.#db('time_entries').insert(entry);
  }
}

/**
 * Creates the row that `lockOperator` locks. Must run outside of the transaction: two transactions that both lock a
 * missing row would deadlock.
 */
export async function ensureOperator(db: Knex, { userId }: TimerOperator): Promise<void> {
  const row = { user_id: userId };
  if (await db('time_operators').where(row).first('user_id')) return;
  await db('time_operators').insert(row).onConflict('user_id').ignore();
}

/** Runs a write that sets `run_by`. Throws `svc_timer_other_running` if another start got the unique key first. */
export async function rejectSecondTimer<T>(write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isDuplicate(error))
      throw new ConflictError('svc_timer_other_running', 'Another timer was started at the same time.');
    throw error;
  }
}
