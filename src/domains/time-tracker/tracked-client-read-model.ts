import type { Knex } from 'knex';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { longRead } from '../../db/long-read.ts';
import { whereContains } from '../../db/search.ts';
import { SECOND } from '../../shared/clock.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { BucketRepository } from './bucket-repository.ts';
import { ClientSettingsRepository } from './client-settings-repository.ts';
import { fromPriceUnits } from './price.ts';
import type { PaymentStatus } from './task.ts';
import type { TrackingContext } from './task-read-model.ts';
import { effectiveTrackerSettings, type TrackerSettings } from './billing-terms.ts';
import type { TaskStatus } from './timer.ts';
import {
  bucketsInScope,
  whereBucketInScope,
  whereClientInScope,
  whereTaskInScope,
} from './tracker-scope-read-model.ts';

export interface TrackedClientFilter {
  search?: string;
  hasRunning?: boolean;
}

export interface ClientTimeTotals {
  id: number;
  name: string;
  email: string;
  inProgress: number;
  completed: number;
  seconds: number;
  unbilledSeconds: number;
  unbilled: { currency: string; amount: number }[];
  buckets: number;
  remainingSeconds: number;
  runningTaskId: number | null;
  lastActivity: number | null;
  settings: TrackerSettings;
}

interface ClientRow {
  id: number;
  name: string;
  email: string;
}
interface SumRow {
  client_id: number;
  status: TaskStatus;
  payment_status: PaymentStatus;
  billable: number;
  billed_currency: string | null;
  total_decimals: number | null;
  n: number | string;
  recorded: number | string;
  billed: number | string | null;
  minor: number | string | null;
  changed: number | string;
}

/** Total of a task in SQL. It is 0 if the price comes from a bucket that the caller does not see. */
const SEEN_TOTAL =
  "case when billed_source = 'bucket' and time_tasks.bucket_id is not null and seen_buckets.bucket_id is null " +
  'then 0 else total_minor end';

/**
 * Reads the times and amounts of clients. A client is in the scope if one of its sites is. Only its tasks and buckets
 * in the scope count.
 */
export class TrackedClientReadModel {
  readonly #db: Knex;
  readonly #moment: TrackingContext;

  constructor(db: Knex, moment: TrackingContext) {
    this.#db = db;
    this.#moment = moment;
  }

  async list(scope: SiteScope, filter: TrackedClientFilter, request: PageRequest): Promise<Page<ClientTimeTotals>> {
    const total = await countRows(longRead(this.#filtered(scope, filter), isLimited(scope)));
    const rows = await longRead(this.#filtered(scope, filter), isLimited(scope))
      .orderBy(['clients.name_key', 'clients.id'])
      .modify(limitToPage, request)
      .select<ClientRow[]>('clients.id', 'clients.name', 'clients.email');
    return { items: await this.of(scope, rows), page: request.page, perPage: request.perPage, total };
  }

  /** The clients must be in the scope. */
  async of(scope: SiteScope, clients: readonly ClientRow[]): Promise<ClientTimeTotals[]> {
    const ids = clients.map(({ id }) => id);
    const sums = await this.#sums(scope, ids);
    const running = await this.#running(scope, ids);
    const remaining = await this.#remaining(scope, ids);
    const own = await new ClientSettingsRepository(this.#db).byClient(scope, ids);
    return clients.map(({ id, name, email }) => {
      const rows = sums.filter(({ client_id: clientId }) => clientId === id);
      const timers = running.filter(({ client_id: clientId }) => clientId === id);
      return {
        ...{ id, name, email },
        ...completedAndUnbilledTotals(rows),
        seconds: sumRowValues(rows, 'recorded') + timers.reduce((sum, timer) => sum + timer.seconds, 0),
        buckets: remaining.get(id)?.buckets ?? 0,
        remainingSeconds: remaining.get(id)?.seconds ?? 0,
        runningTaskId: timers[0]?.id ?? null,
        settings: effectiveTrackerSettings(this.#moment.settings, own.get(id) ?? null),
      };
    });
  }

  async #sums(scope: SiteScope, ids: readonly number[]): Promise<SumRow[]> {
    const by = ['client_id', 'status', 'payment_status', 'billable', 'billed_currency', 'total_decimals'];
    const tasks = this.#tasks(scope);
    if (isLimited(scope))
      void tasks.leftJoin(
        bucketsInScope(this.#db, scope).as('seen_buckets'),
        'seen_buckets.bucket_id',
        'time_tasks.bucket_id',
      );
    return longRead(tasks)
      .whereIn('client_id', [...ids])
      .groupBy(by)
      .select<SumRow[]>(
        ...by,
        this.#db.raw('count(*) as n'),
        this.#db.raw('sum(recorded_seconds) as recorded'),
        this.#db.raw('sum(billed_seconds) as billed'),
        this.#db.raw(`sum(${isLimited(scope) ? SEEN_TOTAL : 'total_minor'}) as minor`),
        this.#db.raw('max(updated_at) as changed'),
      );
  }

  async #running(
    scope: SiteScope,
    ids: readonly number[],
  ): Promise<{ id: number; client_id: number; seconds: number }[]> {
    const rows: { id: number; client_id: number; running_since: number | string }[] = await this.#tasks(scope)
      .where({ status: 'running' })
      .whereIn('client_id', [...ids])
      .orderBy([
        { column: 'running_since', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .select('id', 'client_id', 'running_since');
    return rows.map(({ running_since: since, ...row }) => {
      const seconds = Math.floor(this.#moment.now / SECOND) - Number(since) / SECOND;
      return { ...row, seconds: Math.max(0, seconds) };
    });
  }

  async #remaining(
    scope: SiteScope,
    ids: readonly number[],
  ): Promise<Map<number, { buckets: number; seconds: number }>> {
    const assigned = this.#db('time_bucket_clients');
    whereBucketInScope(this.#db, assigned, scope, 'time_bucket_clients.bucket_id');
    const pairs: { client_id: number; bucket_id: number }[] = await assigned
      .join('time_buckets', 'time_buckets.id', 'time_bucket_clients.bucket_id')
      .where('time_buckets.archived', 0)
      .whereIn('time_bucket_clients.client_id', [...ids])
      .select('time_bucket_clients.client_id', 'time_bucket_clients.bucket_id');
    const repository = new BucketRepository(this.#db, this.#moment.now);
    const buckets = await repository.byIds([...new Set(pairs.map(({ bucket_id: id }) => id))]);
    const balances = await repository.balances([...buckets.values()], this.#moment.today);
    const remaining = new Map<number, { buckets: number; seconds: number }>();
    for (const { client_id: clientId, bucket_id: id } of pairs) {
      const balance = balances.get(id);
      if (!balance) continue;
      const before = remaining.get(clientId) ?? { buckets: 0, seconds: 0 };
      remaining.set(clientId, { buckets: before.buckets + 1, seconds: before.seconds + balance.remainingSeconds });
    }
    return remaining;
  }

  #tasks(scope: SiteScope): Knex.QueryBuilder {
    const query = this.#db('time_tasks');
    whereTaskInScope(this.#db, query, scope);
    return query;
  }

  #filtered(scope: SiteScope, { search, hasRunning }: TrackedClientFilter): Knex.QueryBuilder {
    const query = this.#db('clients');
    whereClientInScope(this.#db, query, scope, 'clients.id');
    if (hasRunning !== undefined) {
      const running = this.#tasks(scope).where({ status: 'running' }).whereNotNull('client_id').select('client_id');
      void (hasRunning ? query.whereIn('clients.id', running) : query.whereNotIn('clients.id', running));
    }
    whereContains(query, search, 'clients.name_key', 'clients.email_key');
    return query;
  }
}

const sumRowValues = (rows: readonly SumRow[], column: 'n' | 'recorded' | 'billed'): number =>
  rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);

function completedAndUnbilledTotals(rows: readonly SumRow[]) {
  const completed = rows.filter(({ status }) => status === 'stopped');
  const unbilled = completed.filter(({ payment_status: status, billable }) => status === 'unbilled' && billable === 1);
  return {
    inProgress: sumRowValues(rows, 'n') - sumRowValues(completed, 'n'),
    completed: sumRowValues(completed, 'n'),
    unbilledSeconds: sumRowValues(unbilled, 'billed'),
    unbilled: amountsByCurrency(unbilled),
    lastActivity: rows.length === 0 ? null : Math.max(...rows.map(({ changed }) => Number(changed))),
  };
}

/** Totals have different numbers of decimals, so they are converted to price units, which have the most (eight). */
function amountsByCurrency(rows: readonly SumRow[]): ClientTimeTotals['unbilled'] {
  const units = new Map<string, bigint>();
  for (const { billed_currency: currency, total_decimals: decimals, minor } of rows) {
    if (currency === null || decimals === null || minor === null) continue;
    units.set(currency, (units.get(currency) ?? 0n) + BigInt(minor) * 10n ** BigInt(8 - decimals));
  }
  return [...units]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, sum]) => ({ currency, amount: fromPriceUnits(sum) }));
}
