import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { orderByOf } from '../../db/order-by.ts';
import { whereContains } from '../../db/search.ts';
import { floorToSecond } from '../../shared/clock.ts';
import { digestOf } from '../../shared/digest.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { clientsInScope } from '../sites/index.ts';
import type { BucketBalance } from './bucket.ts';
import { BucketRepository } from './bucket-repository.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
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
import { effectiveTrackerSettings, billingTermsOf, type TrackerSettings } from './billing-terms.ts';
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
const CHUNK = 300;

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

const toListed = ({ live_client: client, live_site: site, ...row }: ListedRow): StoredTask => {
  const task = toTask(row);
  return { ...task, clientName: client ?? task.clientName, siteUrl: site ?? task.siteUrl };
};

/** The digest stays the same while a timer runs. */
export function taskRevisionOf(task: Omit<StoredTask, 'revision'>): string {
  const { title, description, clientId, siteId, bucketId, paymentStatus, timerMode, billable, hourlyUnits } = task;
  const { taskDate, operator, timer, settlement } = task;
  const fields = [title, description, clientId, siteId, bucketId, paymentStatus, timerMode, billable, hourlyUnits];
  return digestOf(JSON.stringify([...fields, taskDate, operator, timer, settlement?.seconds]));
}

/**
 * Removes the client and the bucket of a task if they are not in the scope. The site of a visible task may have moved
 * to another client, and clients outside the scope can share a bucket.
 */
function withoutUnseen(task: StoredTask, { seen_client: client, seen_bucket: bucket }: ListedRow): VisibleTask {
  const isUnseen = {
    client: client === null && task.clientId !== null,
    bucket: bucket === null && task.bucketId !== null,
  };
  const visible = {
    ...task,
    ...(client === null ? { clientId: null, clientName: '' } : {}),
    ...(isUnseen.bucket ? { bucketId: null } : {}),
  };
  const source = task.settlement?.source;
  const unseenPrice = (source === 'bucket' || source === 'client') && isUnseen[source];
  return { ...visible, revision: taskRevisionOf(visible), unseenPrice };
}

interface VisibleTask extends Omit<StoredTask, 'revision'> {
  revision: string;
  unseenPrice: boolean;
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
    let last: TaskRecord | undefined;
    do {
      const query = this.#filtered(scope, filter);
      if (last) {
        const { taskDate, id } = last;
        void query.where('time_tasks.task_date', '>=', taskDate);
        void query.where((later) =>
          later.where('time_tasks.task_date', '>', taskDate).orWhere('time_tasks.id', '>', id),
        );
      }
      const ordered = query.orderBy(['time_tasks.task_date', 'time_tasks.id']).limit(CHUNK);
      const records = await this.#records(scope, ordered);
      for (const record of records) {
        await endLongTurn();
        yield record;
      }
      last = records.length === CHUNK ? records.at(-1) : undefined;
    } while (last);
  }

  async #records(scope: SiteScope, query: Knex.QueryBuilder): Promise<TaskRecord[]> {
    if (isLimited(scope))
      void query
        .leftJoin(clientsInScope(this.#db, scope).as('seen_clients'), 'seen_clients.client_id', 'time_tasks.client_id')
        .leftJoin(bucketsInScope(this.#db, scope).as('seen_buckets'), 'seen_buckets.bucket_id', 'time_tasks.bucket_id')
        .select('seen_clients.client_id as seen_client', 'seen_buckets.bucket_id as seen_bucket');
    const rows = await query
      .leftJoin('clients', 'clients.id', 'time_tasks.client_id')
      .leftJoin('sites', 'sites.id', 'time_tasks.site_id')
      .select<ListedRow[]>(...COLUMNS, 'clients.name as live_client', 'sites.url as live_site');
    const tasks = rows.map((row) => withoutUnseen(toListed(row), row));
    const buckets = new BucketRepository(this.#db, this.#moment.now);
    const bucketIds = [...new Set(tasks.flatMap(({ bucketId }) => bucketId ?? []))];
    const clientIds = [...new Set(tasks.flatMap(({ clientId }) => clientId ?? []))];
    const byId = await buckets.byIds(bucketIds);
    const countingDown = new Set(tasks.flatMap((task) => (task.timerMode === 'count_down' ? task.bucketId : [])));
    const counted = [...byId.values()].filter(({ id }) => countingDown.has(id));
    const balances = await buckets.balances(counted, this.#moment.today);
    const own = await new ClientSettingsRepository(this.#db).byClient(ALL_SITES, clientIds);
    return tasks.map((task) => {
      const bucket = task.bucketId === null ? null : (byId.get(task.bucketId) ?? null);
      const client = task.clientId === null ? null : (own.get(task.clientId) ?? null);
      const terms = billingTermsOf(task, bucket, this.#moment.settings, client);
      return {
        ...this.#currentSettlement(task, terms),
        bucketTitle: bucket?.title ?? '',
        remainingSeconds: this.#remaining(task, balances),
        form: effectiveTrackerSettings(this.#moment.settings, client),
      };
    });
  }

  #currentSettlement({ unseenPrice, ...task }: VisibleTask, terms: BillingTerms) {
    const { now, today } = this.#moment;
    const elapsedSeconds = elapsedSecondsAt(task.timer, now);
    const timer = { ...task.timer, recordedSeconds: elapsedSeconds };
    const stored = unseenPrice ? null : task.settlement;
    const settlement = stored ?? calculateSettlement({ ...task, timer }, terms, today);
    return { ...task, elapsedSeconds, terms: settlement, total: settlement.total };
  }

  #remaining(task: VisibleTask, balances: ReadonlyMap<number, BucketBalance>): number | null {
    const balance = task.bucketId === null ? undefined : balances.get(task.bucketId);
    if (task.timerMode !== 'count_down' || !balance) return null;
    const isOpen = task.settlement === null && task.billable;
    return Math.max(0, balance.remainingSeconds - (isOpen ? elapsedSecondsAt(task.timer, this.#moment.now) : 0));
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
