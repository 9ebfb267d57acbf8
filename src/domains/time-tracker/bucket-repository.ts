import type { Knex } from 'knex';
import { countRows } from '../../db/count-rows.ts';
import { lockForUpdate } from '../../db/dialect.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import { nameKeyOf } from '../../shared/text.ts';
import type { Bucket, Recurrence, StoredBucket, DebitedTime } from './bucket.ts';
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
  client_id: number | null;
  debit_day: string;
  seconds: number | string;
}

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

  async usage(ids: readonly number[] | Knex.QueryBuilder): Promise<Map<number, DebitedTime[]>> {
    const rows: UsageRow[] = await this.#db('time_tasks')
      .whereIn('bucket_id', ids as number[])
      .whereNotNull('debit_day')
      .groupBy('bucket_id', 'client_id', 'debit_day')
      .select('bucket_id', 'client_id', 'debit_day', this.#db.raw('sum(debit_seconds) as seconds'));
    const usage = new Map<number, DebitedTime[]>();
    for (const { bucket_id: id, client_id: clientId, debit_day: day, seconds } of rows)
      getOrAddList(usage, id).push({ clientId, day, seconds: Number(seconds) });
    return usage;
  }
}

function getOrAddList<T>(lists: Map<number, T[]>, key: number): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
