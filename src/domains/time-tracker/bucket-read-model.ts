import type { Knex } from 'knex';
import { longRead } from '../../db/long-read.ts';
import { limitToPage } from '../../db/page-limit.ts';
import { countRows } from '../../db/count-rows.ts';
import { whereContains } from '../../db/search.ts';
import { pageOf, type Page, type PageRequest } from '../../shared/paging.ts';
import { isLimited, type SiteScope } from '../../shared/site-scope.ts';
import type { BucketBalance, BucketFilter, BucketRecord, StoredBucket } from './bucket.ts';
import { BUCKET_COLUMNS, bucketNotFound, BucketRepository, toBucket, type BucketRow } from './bucket-repository.ts';
import type { TrackingContext } from './task-read-model.ts';
import { whereBucketInScope } from './tracker-scope-read-model.ts';

const COLUMNS = BUCKET_COLUMNS.map((name) => `time_buckets.${name}`);
const BY_TITLE = ['time_buckets.title_key', 'time_buckets.id'];

export class BucketReadModel {
  readonly #db: Knex;
  readonly #moment: TrackingContext;
  readonly #buckets: BucketRepository;

  constructor(db: Knex, moment: TrackingContext) {
    this.#db = db;
    this.#moment = moment;
    this.#buckets = new BucketRepository(db, moment.now);
  }

  async get(scope: SiteScope, id: number): Promise<BucketRecord> {
    const [bucket] = await this.#rows(this.#inScope(scope).where('time_buckets.id', id));
    if (!bucket) throw bucketNotFound();
    const [record] = await this.#records([bucket], await this.#balances([bucket]));
    return record as BucketRecord;
  }

  async list(scope: SiteScope, filter: BucketFilter, request: PageRequest): Promise<Page<BucketRecord>> {
    if (filter.status === 'active' || filter.status === 'exhausted') return this.#listByBalance(scope, filter, request);
    const total = await countRows(longRead(this.#filtered(scope, filter), isLimited(scope)));
    const rows = longRead(this.#filtered(scope, filter), isLimited(scope))
      .orderBy(BY_TITLE)
      .modify(limitToPage, request);
    const buckets = await this.#rows(rows);
    const items = await this.#records(buckets, await this.#balances(buckets));
    return { items, page: request.page, perPage: request.perPage, total };
  }

  /**
   * Returns a page of the buckets with one status. The status depends on the remaining time, so all buckets that match
   * the other filters must be computed before paging.
   */
  async #listByBalance(scope: SiteScope, filter: BucketFilter, request: PageRequest): Promise<Page<BucketRecord>> {
    const buckets = await this.#rows(this.#filtered(scope, filter).orderBy(BY_TITLE));
    const balances = await this.#balances(buckets);
    const matching = buckets.filter(({ id }) => balances.get(id)?.status === filter.status);
    const page = pageOf(matching, request);
    return { ...page, items: await this.#records(page.items, balances) };
  }

  #balances(buckets: readonly StoredBucket[]): Promise<Map<number, BucketBalance>> {
    return this.#buckets.balances(buckets, this.#moment.today);
  }

  async #rows(query: Knex.QueryBuilder): Promise<StoredBucket[]> {
    return (await query.select<BucketRow[]>(...COLUMNS)).map(toBucket);
  }

  async #records(
    buckets: readonly StoredBucket[],
    balances: ReadonlyMap<number, BucketBalance>,
  ): Promise<BucketRecord[]> {
    const ids = buckets.map(({ id }) => id);
    const clients = await this.#clients(ids);
    const counts = await this.#taskCounts(ids);
    return buckets.map((bucket) => ({
      ...bucket,
      standing: balances.get(bucket.id) as BucketBalance,
      clients: clients.get(bucket.id) ?? [],
      tasksCount: counts.get(bucket.id) ?? 0,
    }));
  }

  async #clients(ids: readonly number[]): Promise<Map<number, BucketRecord['clients']>> {
    const rows: { bucket_id: number; id: number; name: string }[] = await this.#db('time_bucket_clients')
      .join('clients', 'clients.id', 'time_bucket_clients.client_id')
      .whereIn('time_bucket_clients.bucket_id', [...ids])
      .orderBy(['clients.name_key', 'clients.id'])
      .select('time_bucket_clients.bucket_id', 'clients.id', 'clients.name');
    const clients = new Map<number, BucketRecord['clients']>(ids.map((id) => [id, []]));
    for (const { bucket_id: bucketId, id, name } of rows) clients.get(bucketId)?.push({ id, name });
    return clients;
  }

  async #taskCounts(ids: readonly number[]): Promise<Map<number, number>> {
    const rows: { bucket_id: number; n: number | string }[] = await longRead(this.#db('time_tasks'))
      .whereIn('bucket_id', [...ids])
      .groupBy('bucket_id')
      .select('bucket_id', this.#db.raw('count(*) as n'));
    return new Map(rows.map(({ bucket_id: id, n }) => [id, Number(n)]));
  }

  #inScope(scope: SiteScope): Knex.QueryBuilder {
    const query = this.#db('time_buckets');
    whereBucketInScope(this.#db, query, scope, 'time_buckets.id');
    return query;
  }

  #filtered(scope: SiteScope, { clientId, isOpen, status, recurrence, search }: BucketFilter): Knex.QueryBuilder {
    const query = this.#inScope(scope);
    if (clientId !== undefined) {
      const assigned = this.#db('time_bucket_clients').where({ client_id: clientId }).select('bucket_id');
      void query.whereIn('time_buckets.id', assigned);
    }
    if (status) void query.where('time_buckets.archived', status === 'archived' ? 1 : 0);
    if (isOpen) void query.where('time_buckets.archived', 0);
    if (recurrence) void query.where('time_buckets.recurrence', recurrence);
    whereContains(query, search, 'time_buckets.title_key');
    return query;
  }
}
