import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { orderByOf } from '../../db/order-by.ts';
import { whereContains } from '../../db/search.ts';
import { floorToSecond } from '../../shared/clock.ts';
import { digestOf } from '../../shared/digest.ts';
import { mapInTurns } from '../../shared/event-loop.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { clientsInScope } from '../sites/index.ts';
import type { BucketBalance } from './bucket.ts';
import type { Amount } from './price.ts';
import {
  calculateSettlement,
  type StoredTask,
  type TaskTimeEntry,
  type TaskFilter,
  type TaskOrder,
  type BillingTerms,
} from './task.ts';
import { TASK_COLUMNS, taskNotFound, toTask, type TaskRow } from './task-repository.ts';
import { billingTermsOf, effectiveTrackerSettings, type TrackerSettings } from './billing-terms.ts';
import { TaskOwners } from './task-owners.ts';
import { elapsedSecondsAt } from './timer.ts';
import {
  bucketsInScope,
  whereBucketInScope,
  whereClientInScope,
  whereTaskInScope,
} from './tracker-scope-read-model.ts';

export interface TaskRecord extends Omit<StoredTask, 'revision'> {
  /** Changes with each edit of a field that the caller sees. */
  revision: string;
  bucketTitle: string;
  elapsedSeconds: number;
  /** Terms on which the final price is based, or the current terms if the task has no final price yet. */
  terms: Pick<BillingTerms, 'hourlyUnits' | 'source' | 'currency'>;
  /**
   * Price of the tracked time. For a task without a final price, the price that it would have if it were stopped now.
   */
  total: Amount;
  /** Remaining seconds of the bucket after this task; null unless the timer counts down. */
  remainingSeconds: number | null;
  form: TrackerSettings;
}

export interface TaskDetail extends TaskRecord {
  entries: TaskTimeEntry[];
  entriesTotal: number;
}

export interface TrackingContext {
  now: number;
  today: string;
  settings: TrackerSettings;
}

const COLUMNS = TASK_COLUMNS.map((name) => `time_tasks.${name}`);
const ORDER_COLUMNS = {
  task_date: ['time_tasks.task_date', 'time_tasks.id'],
  created_at: ['time_tasks.created_at', 'time_tasks.id'],
  title: ['time_tasks.title_key', 'time_tasks.id'],
} as const;
const MOST_ENTRIES = 500;
const EXPORTED_PAGE = 300;

interface EntryRow {
  id: number;
  kind: TaskTimeEntry['kind'];
  started_at: number | string;
  ended_at: number | string | null;
  seconds: number | string;
  operator: string;
}
type ListedRow = TaskRow & {
  live_client: string | null;
  live_site: string | null;
  /** Selected only for a limited scope. Null if the client or the bucket is not in it. */
  seen_client?: number | null;
  seen_bucket?: number | null;
};

const toListed = (row: ListedRow): StoredTask => {
  const task = toTask(row);
  task.clientName = row.live_client ?? task.clientName;
  task.siteUrl = row.live_site ?? task.siteUrl;
  return task;
};

/** The digest stays the same while a timer runs. */
export function taskRevisionOf(task: Omit<StoredTask, 'revision'>): string {
  const { title, description, clientId, siteId, bucketId, paymentStatus, timerMode, billable, hourlyUnits } = task;
  const { taskDate, operator, timer, settlement } = task;
  const fields = [title, description, clientId, siteId, bucketId, paymentStatus, timerMode, billable, hourlyUnits];
  return digestOf(JSON.stringify([...fields, taskDate, operator, timer, settlement?.seconds]));
}

/** True if the client and the bucket of a task are in the scope of the caller. */
interface SeenOwners {
  client: boolean;
  bucket: boolean;
}

const seenOwnersIn = ({ seen_client: client, seen_bucket: bucket }: ListedRow): SeenOwners => ({
  client: client !== null,
  bucket: bucket !== null,
});

interface VisibleTask {
  task: Omit<StoredTask, 'revision'>;
  /** True if the final price of the task is based on a client or a bucket that is not in the scope. */
  unseenPrice: boolean;
}

/**
 * Removes the client and the bucket of a task if they are not in the scope. The site of a visible task may have moved
 * to another client, and clients outside the scope can share a bucket.
 */
function withoutUnseen(task: StoredTask, seen: SeenOwners): VisibleTask {
  const isUnseen = {
    client: !seen.client && task.clientId !== null,
    bucket: !seen.bucket && task.bucketId !== null,
  };
  const source = task.settlement?.source;
  const unseenPrice = (source === 'bucket' || source === 'client') && isUnseen[source];
  if (seen.client && !isUnseen.bucket) return { task, unseenPrice };
  const visible = {
    ...task,
    ...(seen.client ? {} : { clientId: null, clientName: '' }),
    ...(isUnseen.bucket ? { bucketId: null } : {}),
  };
  return { task: visible, unseenPrice };
}

const withLiveNames = (query: Knex.QueryBuilder): Promise<ListedRow[]> =>
  query
    .leftJoin('clients', 'clients.id', 'time_tasks.client_id')
    .leftJoin('sites', 'sites.id', 'time_tasks.site_id')
    .select<ListedRow[]>(...COLUMNS, 'clients.name as live_client', 'sites.url as live_site');

function remainingSecondsOf(
  { settlement, billable }: VisibleTask['task'],
  balance: BucketBalance | null,
  elapsedSeconds: number,
): number | null {
  if (!balance) return null;
  const isOpen = settlement === null && billable;
  return Math.max(0, balance.remainingSeconds - (isOpen ? elapsedSeconds : 0));
}

export class TaskReadModel {
  readonly #db: Knex;
  readonly #moment: TrackingContext;

  constructor(db: Knex, moment: TrackingContext) {
    this.#db = db;
    this.#moment = moment;
  }

  async get(scope: SiteScope, id: number): Promise<TaskRecord> {
    const [task] = await this.#records(scope, this.#inScope(scope).where('time_tasks.id', id));
    if (!task) throw taskNotFound();
    return task;
  }

  async detail(scope: SiteScope, id: number): Promise<TaskDetail> {
    const task = await this.get(scope, id);
    const entries = this.#db('time_entries').where({ task_id: id });
    const entriesTotal = await countRows(entries.clone());
    const rows = await entries
      .orderBy('id', 'desc')
      .limit(MOST_ENTRIES)
      .select<EntryRow[]>('id', 'kind', 'started_at', 'ended_at', 'seconds', 'operator');
    return { ...task, entries: rows.map((row) => this.#entry(row, task)), entriesTotal };
  }

  async list(scope: SiteScope, filter: TaskFilter, order: TaskOrder, request: PageRequest): Promise<Page<TaskRecord>> {
    const total = await countRows(longRead(this.#filtered(scope, filter)));
    const chosen = longRead(this.#filtered(scope, filter), isLimited(scope) || order.by === 'elapsed_seconds');
    const rows = this.#ordered(chosen, order).modify(limitToPage, request);
    return { items: await this.#records(scope, rows), page: request.page, perPage: request.perPage, total };
  }

  recentOf(scope: SiteScope, clientId: number, most: number): Promise<TaskRecord[]> {
    const tasks = longRead(this.#inScope(scope)).where('time_tasks.client_id', clientId);
    const byChange = [
      { column: 'time_tasks.updated_at', order: 'desc' },
      { column: 'time_tasks.id', order: 'desc' },
    ];
    return this.#records(scope, tasks.orderBy(byChange).limit(most));
  }

  async *all(scope: SiteScope, filter: TaskFilter): AsyncGenerator<TaskRecord> {
    for await (const page of this.pages(scope, filter)) yield* page;
  }

  /** Yields the tasks by date. The scope, and what many tasks share, are read once. */
  async *pages(scope: SiteScope, filter: TaskFilter): AsyncGenerator<TaskRecord[]> {
    const seenOwnersOf = await this.#seenOwners(scope);
    const owners = new TaskOwners(this.#db, this.#moment);
    let rows: ListedRow[];
    let last: TaskRow | undefined;
    do {
      rows = await withLiveNames(this.#filteredAfter(scope, filter, last).limit(EXPORTED_PAGE));
      const tasks = await mapInTurns(rows, (row) => withoutUnseen(toListed(row), seenOwnersOf(row)));
      await owners.load(tasks.map(({ task }) => task));
      if (tasks.length > 0) yield await mapInTurns(tasks, (visible) => this.#record(visible, owners));
      last = rows.at(-1);
    } while (rows.length === EXPORTED_PAGE);
  }

  #filteredAfter(scope: SiteScope, filter: TaskFilter, last: TaskRow | undefined): Knex.QueryBuilder {
    const query = this.#filtered(scope, filter).orderBy(['time_tasks.task_date', 'time_tasks.id']);
    if (!last) return query;
    const { task_date: day, id } = last;
    return query
      .where('time_tasks.task_date', '>=', day)
      .where((later) => later.where('time_tasks.task_date', '>', day).orWhere('time_tasks.id', '>', id));
  }

  async #seenOwners(scope: SiteScope): Promise<(row: TaskRow) => SeenOwners> {
    if (!isLimited(scope)) return () => ({ client: true, bucket: true });
    const clients = new Set<number | null>(await clientsInScope(this.#db, scope).pluck<number[]>('sites.client_id'));
    const buckets = new Set<number | null>(await bucketsInScope(this.#db, scope).pluck<number[]>('assigned.bucket_id'));
    return (row) => ({ client: clients.has(row.client_id), bucket: buckets.has(row.bucket_id) });
  }

  async #records(scope: SiteScope, query: Knex.QueryBuilder): Promise<TaskRecord[]> {
    if (isLimited(scope))
      void query
        .leftJoin(clientsInScope(this.#db, scope).as('seen_clients'), 'seen_clients.client_id', 'time_tasks.client_id')
        .leftJoin(bucketsInScope(this.#db, scope).as('seen_buckets'), 'seen_buckets.bucket_id', 'time_tasks.bucket_id')
        .select('seen_clients.client_id as seen_client', 'seen_buckets.bucket_id as seen_bucket');
    const rows = await withLiveNames(query);
    const tasks = rows.map((row) => withoutUnseen(toListed(row), seenOwnersIn(row)));
    const owners = new TaskOwners(this.#db, this.#moment);
    await owners.load(tasks.map(({ task }) => task));
    return tasks.map((visible) => this.#record(visible, owners));
  }

  #record({ task, unseenPrice }: VisibleTask, owners: TaskOwners): TaskRecord {
    const { now, today, settings } = this.#moment;
    const [bucket, client] = [owners.bucketOf(task), owners.clientOf(task)];
    const elapsedSeconds = elapsedSecondsAt(task.timer, now);
    const stored = unseenPrice ? null : task.settlement;
    const timer = { ...task.timer, recordedSeconds: elapsedSeconds };
    const terms =
      stored ?? calculateSettlement({ ...task, timer }, billingTermsOf(task, bucket, settings, client), today);
    return {
      ...task,
      revision: taskRevisionOf(task),
      elapsedSeconds,
      terms,
      total: terms.total,
      bucketTitle: bucket?.title ?? '',
      remainingSeconds: remainingSecondsOf(task, owners.balanceOf(task), elapsedSeconds),
      form: effectiveTrackerSettings(settings, client),
    };
  }

  #entry(row: EntryRow, task: TaskRecord): TaskTimeEntry {
    const startedAt = Number(row.started_at);
    return {
      id: row.id,
      kind: row.kind,
      startedAt,
      endedAt: row.ended_at === null ? null : Number(row.ended_at),
      seconds:
        row.ended_at === null
          ? elapsedSecondsAt(task.timer, this.#moment.now) - task.timer.recordedSeconds
          : Number(row.seconds),
      operator: row.operator,
    };
  }

  #ordered(query: Knex.QueryBuilder, { by, direction }: TaskOrder): Knex.QueryBuilder {
    if (by !== 'elapsed_seconds') return query.orderBy(orderByOf(ORDER_COLUMNS, { by, direction }));
    const now = floorToSecond(this.#moment.now);
    const open = 'case when time_tasks.running_since < ? then (? - time_tasks.running_since) / 1000 else 0 end';
    return query
      .orderByRaw(`time_tasks.recorded_seconds + ${open} ${direction}`, [now, now])
      .orderBy('time_tasks.id', direction);
  }

  #inScope(scope: SiteScope): Knex.QueryBuilder {
    const query = this.#db('time_tasks');
    whereTaskInScope(this.#db, query, scope);
    return query;
  }

  #filtered(scope: SiteScope, filter: TaskFilter): Knex.QueryBuilder {
    const query = this.#inScope(scope);
    const { status, paymentStatus, clientId, siteId, bucketId, billable, dateFrom, dateTo, search } = filter;
    const equal = { status, payment_status: paymentStatus, client_id: clientId, site_id: siteId, bucket_id: bucketId };
    for (const [column, value] of Object.entries(equal))
      if (value !== undefined) void query.where(`time_tasks.${column}`, value);
    // A task does not show a client or bucket outside the scope, so such a filter must not match it.
    if (clientId !== undefined) whereClientInScope(this.#db, query, scope, 'time_tasks.client_id');
    if (bucketId !== undefined) whereBucketInScope(this.#db, query, scope, 'time_tasks.bucket_id');
    if (filter.siteIds) void query.whereIn('time_tasks.site_id', [...filter.siteIds]);
    if (billable !== undefined) void query.where('time_tasks.billable', billable ? 1 : 0);
    if (dateFrom !== undefined) void query.where('time_tasks.task_date', '>=', dateFrom);
    if (dateTo !== undefined) void query.where('time_tasks.task_date', '<=', dateTo);
    whereContains(query, search, 'time_tasks.title_key');
    return query;
  }
}
