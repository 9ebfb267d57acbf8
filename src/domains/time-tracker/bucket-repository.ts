import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { chunks } from '../../db/chunks.ts';
import { countRows } from '../../db/count-rows.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import { endLongTurn } from '../../shared/event-loop.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import {
  bucketBalanceOf,
  countedDaysOf,
  type Bucket,
  type BucketBalance,
  type CountedDays,
  type DebitedTime,
  type Recurrence,
  type StoredBucket,
} from './bucket.ts';
import { isBucketInScope } from './tracker-scope-read-model.ts';

export interface BucketRow {
  id: number;
  title: string;
  description: string;
  seconds: number;
  hourly_units: number | string | null;
  currency: string;
  recurrence: Recurrence;
  anchor_day: string;
  carry_over: number;
  carried_seconds: number | string;
  carried_day: string;
  archived: number;
  revision: number;
  created_at: number | string;
  updated_at: number | string;
}

export const BUCKET_COLUMNS = [
  'id',
  'title',
  'description',
  'seconds',
  'hourly_units',
  'currency',
  'recurrence',
  'anchor_day',
  'carry_over',
  'carried_seconds',
  'carried_day',
  'archived',
  'revision',
  'created_at',
  'updated_at',
] as const satisfies (keyof BucketRow)[];

export const toBucket = (row: BucketRow): StoredBucket => ({
  id: row.id,
  title: row.title,
  description: row.description,
  seconds: row.seconds,
  hourlyUnits: row.hourly_units === null ? null : Number(row.hourly_units),
  currency: row.currency,
  recurrence: row.recurrence,
  anchorDay: row.anchor_day,
  carryOver: row.carry_over === 1,
  carriedSeconds: Number(row.carried_seconds),
  carriedDay: row.carried_day,
  archived: row.archived === 1,
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const toRow = (bucket: Bucket) => ({
  title: bucket.title,
  title_key: nameKeyOf(bucket.title),
  description: bucket.description,
  seconds: bucket.seconds,
  hourly_units: bucket.hourlyUnits,
  currency: bucket.currency,
  recurrence: bucket.recurrence,
  anchor_day: bucket.anchorDay,
  carry_over: bucket.carryOver ? 1 : 0,
  carried_seconds: bucket.carriedSeconds,
  carried_day: bucket.carriedDay,
  archived: bucket.archived ? 1 : 0,
});

export const bucketNotFound = (): NotFoundError => new NotFoundError('svc_bucket_not_found', 'No bucket has this ID.');

interface UsageRow {
  bucket_id: number;
  /** MariaDB returns it as text, because it is null in some queries of the `union`. */
  client_id: number | string | null;
  day: string;
  seconds: number | string;
}

/** A bucket needs at most two queries, and SQLite allows 500 in one `union`. */
const BUCKETS_A_STATEMENT = 50;

export class BucketRepository {
  readonly #db: Knex;
  readonly #now: number;

  constructor(db: Knex, now: number) {
    this.#db = db;
    this.#now = now;
  }

  async insert(bucket: Bucket): Promise<number> {
    const times = { created_at: this.#now, updated_at: this.#now };
    const [id] = await this.#db('time_buckets').insert({ ...toRow(bucket), revision: 1, ...times });
    return id as number;
  }

  async lock(scope: SiteScope, id: number): Promise<StoredBucket> {
    const query = this.#db('time_buckets')
      .where({ id })
      .first<BucketRow | undefined>(...BUCKET_COLUMNS);
    const row: BucketRow | undefined = await lockForUpdate(this.#db, query);
    const isVisible = await this.isInScope(scope, id);
    if (!row || !isVisible) throw bucketNotFound();
    return toBucket(row);
  }

  isInScope(scope: SiteScope, id: number): Promise<boolean> {
    return isBucketInScope(this.#db, scope, id);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, StoredBucket>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db('time_buckets')
      .whereIn('id', [...ids])
      .select<BucketRow[]>(...BUCKET_COLUMNS);
    return new Map(rows.map((row) => [row.id, toBucket(row)]));
  }

  async update(id: number, bucket: Bucket): Promise<void> {
    const revision = this.#db.raw('revision + 1');
    await this.#db('time_buckets')
      .where({ id })
      .update({ ...toRow(bucket), revision, updated_at: this.#now });
  }

  async delete(id: number): Promise<void> {
    await this.#db('time_buckets').where({ id }).delete();
  }

  async setClients(id: number, clientIds: readonly number[]): Promise<void> {
    await this.#db('time_bucket_clients').where({ bucket_id: id }).delete();
    if (clientIds.length === 0) return;
    await this.#db('time_bucket_clients').insert(clientIds.map((client) => ({ bucket_id: id, client_id: client })));
  }

  clientIds(id: number): Promise<number[]> {
    return this.#db('time_bucket_clients').where({ bucket_id: id }).orderBy('client_id').pluck<number[]>('client_id');
  }

  async isAssigned(id: number, clientId: number): Promise<boolean> {
    return (await countRows(this.#db('time_bucket_clients').where({ bucket_id: id, client_id: clientId }))) > 0;
  }

  countTasks(id: number): Promise<number> {
    return countRows(this.#db('time_tasks').where({ bucket_id: id }));
  }

  countOpenTasks(id: number, clientIds: readonly number[]): Promise<number> {
    const open = this.#db('time_tasks').where({ bucket_id: id }).whereNot({ status: 'stopped' });
    return countRows(open.whereIn('client_id', [...clientIds]));
  }

  /** Returns the time that `bucketBalanceOf` needs of each bucket, summed in the database. */
  async usage(buckets: readonly StoredBucket[], today: string): Promise<Map<number, DebitedTime[]>> {
    const usage = new Map<number, DebitedTime[]>();
    for (const chunk of chunks(buckets, BUCKETS_A_STATEMENT)) {
      const rows: UsageRow[] = await longRead(this.#db.unionAll(this.#usageSums(chunk, today)));
      for (const { bucket_id: id, client_id: clientId, day, seconds } of rows)
        getOrAdd(usage, id, []).push({
          clientId: clientId === null ? null : Number(clientId),
          day,
          seconds: Number(seconds),
        });
    }
    return usage;
  }

  async balances(buckets: readonly StoredBucket[], today: string): Promise<Map<number, BucketBalance>> {
    const usage = await this.usage(buckets, today);
    const balances = new Map<number, BucketBalance>();
    for (const bucket of buckets) {
      await endLongTurn();
      balances.set(bucket.id, bucketBalanceOf(bucket, usage.get(bucket.id) ?? [], today));
    }
    return balances;
  }

  #usageSums(buckets: readonly StoredBucket[], today: string): Knex.QueryBuilder[] {
    const selections = new Map<string, { days: CountedDays; ids: number[] }>();
    for (const bucket of buckets)
      for (const days of countedDaysOf(bucket, today))
        getOrAdd(selections, Object.values(days).join(), { days, ids: [] }).ids.push(bucket.id);
    return [...selections.values()].map(({ days: { from, to, by }, ids }) => {
      const columns =
        by === 'client' ? ['client_id', 'min(debit_day) as day'] : ['null as client_id', 'debit_day as day'];
      return this.#db('time_tasks')
        .whereIn('bucket_id', ids)
        .whereBetween('debit_day', [from, to])
        .groupBy('bucket_id', by === 'client' ? 'client_id' : 'debit_day')
        .select('bucket_id', this.#db.raw([...columns, 'sum(debit_seconds) as seconds'].join(', ')));
    });
  }
}

function getOrAdd<K, V>(values: Map<K, V>, key: K, initial: V): V {
  const value = values.get(key) ?? initial;
  values.set(key, value);
  return value;
}
