import type { Knex } from 'knex';
import { databaseTimeSql } from '../db/database-clock.ts';
import { lockForClaim, lockForUpdate } from '../db/dialect.ts';
import { fromJson } from '../db/json.ts';
import { LeaseLostError, leaseTimer } from '../db/lease.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../shared/clock.ts';
import { findKindsAtLimit, countFreeSlots } from './concurrency-limit-store.ts';
import type { FinishedKinds } from './cancelled-job-store.ts';
import type { JobState, LeasedItem } from './job.ts';
import { fromStoredIdentifier } from './stored-identifier.ts';

/** Number of jobs per claim. Each gets a share of the free slots, so that a small job never waits for a large one. */
const JOBS_A_CLAIM = 16;

interface ItemRow {
  id: number;
  job_id: string;
  position: number;
  site_id: number | null;
  identifier: string;
  attempt: number;
  result: string | null;
}
interface ActiveJobRow {
  id: string;
  kind: string;
  state: JobState;
  input: string;
  requested_by: string;
  owner_user_id: number | null;
  owner_key_id: number | null;
  total: number;
  open_stage: number;
  stages: string | null;
}

const JOB_COLUMNS = [
  'id',
  'kind',
  'state',
  'input',
  'requested_by',
  'owner_user_id',
  'owner_key_id',
  'total',
  'open_stage',
  'stages',
] as const;
const ITEM_COLUMNS = ['id', 'job_id', 'position', 'site_id', 'identifier', 'attempt', 'result'] as const;

/**
 * Maximum number of running items by kind (default: no limits), the kinds to claim (default: all), and the kinds whose
 * begun items are claimed from canceled jobs, too (default: none).
 */
export interface ClaimRules {
  limits?: () => ReadonlyMap<string, number>;
  kinds?: () => readonly string[];
  finished?: FinishedKinds;
}

export interface ClaimOptions {
  onlySingle?: boolean;
}

/** The clock of the database decides when a lease has ended, because the clocks of several processes can differ. */
export class ItemLeaseStore {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #limits: () => ReadonlyMap<string, number>;
  readonly #kinds: (() => readonly string[]) | undefined;
  readonly #finished: FinishedKinds;

  constructor(knex: Knex, clock: Clock, leaseMs: number, rules: ClaimRules = {}) {
    const { limits = () => new Map(), kinds, finished = () => [] } = rules;
    this.#knex = knex;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#limits = limits;
    this.#kinds = kinds;
    this.#finished = finished;
  }

  /**
   * Returns the items that were leased to the process `owner` when their job was inserted. Create `isLeased` before the
   * insert, because it measures the lease from its creation.
   */
  async leasedBy(owner: string, jobId: string, isLeased: () => boolean): Promise<LeasedItem[]> {
    const job = await this.#knex<ActiveJobRow>('jobs')
      .where({ id: jobId })
      .first(...JOB_COLUMNS);
    if (!job) return [];
    const rows = await this.#knex<ItemRow>('job_items')
      .where({ job_id: jobId, lease_owner: owner, state: 'running' } as object)
      .orderBy('position')
      .select(...ITEM_COLUMNS);
    return rows.map(createLeasedItemFactory(job, isLeased));
  }

  async claim(owner: string, limit: number, options: ClaimOptions = {}): Promise<LeasedItem[]> {
    const jobs = await this.#claimableJobs(options);
    if (jobs.length === 0) return [];
    const share = Math.ceil(limit / jobs.length);
    const claimed: LeasedItem[] = [];
    for (const job of jobs) {
      const count = Math.min(share, limit - claimed.length);
      if (count <= 0) break;
      try {
        claimed.push(...(await this.#claimOf(job, owner, count)));
      } catch (error) {
        // The items of earlier jobs are leased already, and would wait until their leases expire.
        if (claimed.length === 0) throw error;
        break;
      }
    }
    return claimed;
  }

  /**
   * Returns the oldest jobs with items to claim. Jobs with one item come first, because somebody usually waits for
   * them. Skips kinds that have reached their limit, because their jobs would take the places of later ones. Also skips
   * kinds that this process does not know: a process of another release may know them.
   */
  async #claimableJobs({ onlySingle = false }: ClaimOptions): Promise<ActiveJobRow[]> {
    const kinds = this.#kinds?.();
    const now = this.#now(this.#knex);
    const oldest = (full: readonly string[]): Promise<ActiveJobRow[]> =>
      this.#knex<ActiveJobRow & { created_at: number; completed_at: number | null }>('jobs')
        .whereIn('state', ['queued', 'processing', 'cancelled'])
        .whereNull('completed_at')
        .where((open) => {
          void open.whereNot('state', 'cancelled').orWhereIn('kind', [...this.#finished()]);
        })
        .where((open) => {
          if (kinds) void open.whereIn('kind', [...kinds]);
          if (full.length > 0) void open.whereNotIn('kind', [...full]);
          if (onlySingle) void open.where('total', 1);
        })
        .whereExists(this.#claimable(now))
        .orderByRaw('total > 1, created_at')
        .limit(JOBS_A_CLAIM)
        .select(...JOB_COLUMNS);
    const jobs = await oldest([]);
    const limits = this.#limits();
    if (!jobs.some(({ kind }) => limits.has(kind))) return jobs;
    const full = await findKindsAtLimit(this.#knex, limits, now);
    return jobs.some(({ kind }) => full.includes(kind)) ? oldest(full) : jobs;
  }

  /**
   * Selects claimable items of a job: only begun ones if it was canceled. A claim leaves out jobs without such items,
   * for example if all items are postponed: these jobs must not take the places of later ones.
   */
  #claimable(now: Knex.Raw): Knex.QueryBuilder {
    return this.#knex('job_items')
      .select(this.#knex.raw('1'))
      .where('job_items.job_id', this.#knex.ref('jobs.id'))
      .where((either) => {
        void either
          .where((due) => {
            void whereDue(due.where('job_items.state', 'waiting'), now)
              .whereRaw('job_items.stage <= jobs.open_stage')
              .whereRaw("(jobs.state <> 'cancelled' or job_items.end_state is not null)");
          })
          .orWhere((abandoned) => void abandoned.where('job_items.state', 'running').where('lease_until', '<', now));
      });
  }

  async #claimOf(job: ActiveJobRow, owner: string, wanted: number): Promise<LeasedItem[]> {
    const limit = this.#limits().get(job.kind);
    return inTransaction(this.#knex, async ({ trx }) => {
      const isLeased = leaseTimer(this.#leaseMs);
      const now = this.#now(trx);
      const count =
        limit === undefined ? wanted : Math.min(wanted, await countFreeSlots(trx, job.kind, { limit, now }));
      if (count === 0) return [];
      const waiting = await lockForClaim(
        trx,
        trx<ItemRow>('job_items')
          .where({ job_id: job.id, state: 'waiting' } as object)
          .where('stage', '<=', job.open_stage)
          .where((due) => {
            void whereDue(due, now);
            if (job.state === 'cancelled') void due.whereNotNull('end_state');
          })
          .orderBy('position')
          .limit(count)
          .select(...ITEM_COLUMNS),
      );
      const abandoned =
        waiting.length === count
          ? []
          : await lockForClaim(
              trx,
              trx<ItemRow>('job_items')
                .where({ job_id: job.id, state: 'running' } as object)
                .where('lease_until', '<', now)
                .orderBy('position')
                .limit(count - waiting.length)
                .select(...ITEM_COLUMNS),
            );
      const rows = [...waiting, ...abandoned];
      if (rows.length === 0) return [];
      const startedAt = this.#clock.now();
      await trx('job_items')
        .whereIn(
          'id',
          rows.map(({ id }) => id),
        )
        .update({
          state: 'running',
          lease_owner: owner,
          lease_until: this.#leaseEnd(trx),
          attempt: trx.raw('attempt + 1'),
          started_at: startedAt,
        });
      await trx('jobs').where({ id: job.id, state: 'queued' }).update({ state: 'processing', started_at: startedAt });
      return rows.map((row) => ({ ...row, attempt: row.attempt + 1 })).map(createLeasedItemFactory(job, isLeased));
    });
  }

  /** Expires the leases of other owners. If there is only one process, these belong to a dead predecessor. */
  async takeOver(owner: string): Promise<void> {
    await this.#knex('job_items')
      .where({ state: 'running' })
      .whereNot({ lease_owner: owner })
      .update({ lease_until: 0 });
  }

  /**
   * Renews the leases of these items, and returns the items whose lease was lost. Do not pass an item whose outcome was
   * dropped: its lease must expire, so that the item runs again.
   */
  async renew(owner: string, items: readonly LeasedItem[]): Promise<LeasedItem[]> {
    const lost: LeasedItem[] = [];
    for (const attempt of new Set(items.map((item) => item.attempt))) {
      const some = items.filter((item) => item.attempt === attempt);
      const isLeased = leaseTimer(this.#leaseMs);
      const renewed = await ownLeases(this.#knex, owner, some).update({ lease_until: this.#leaseEnd(this.#knex) });
      const kept =
        renewed === some.length ? null : new Set(await ownLeases(this.#knex, owner, some).pluck<number[]>('id'));
      for (const item of some)
        if (kept === null || kept.has(item.id)) item.isLeased = isLeased;
        else lost.push(item);
    }
    return lost;
  }

  async confirm(owner: string, item: LeasedItem): Promise<() => boolean> {
    const lost = await this.renew(owner, [item]);
    if (lost.length > 0) throw new LeaseLostError();
    return item.isLeased;
  }

  async lock(trx: Knex.Transaction, owner: string, item: LeasedItem): Promise<void> {
    const rows = await lockForUpdate(trx, ownLeases(trx, owner, [item]).select<{ id: number }[]>('id'));
    if (rows.length === 0) throw new LeaseLostError();
  }

  /** Items that an earlier attempt may have begun stay `running`: they are finished even if their job is canceled. */
  async release(owner: string, items: readonly LeasedItem[]): Promise<void> {
    const finished = this.#finished();
    const isBegun = ({ kind, attempt, result }: LeasedItem): boolean =>
      finished.includes(kind) && attempt > 1 && result === null;
    for (const begun of [false, true]) {
      const ids = items.filter((item) => isBegun(item) === begun).map(({ id }) => id);
      if (ids.length === 0) continue;
      await this.#knex('job_items')
        .whereIn('id', ids)
        .where({ lease_owner: owner, state: 'running' })
        .update({
          ...(begun ? { lease_until: 0 } : { state: 'waiting', lease_owner: null, lease_until: null }),
          attempt: this.#knex.raw('attempt - 1'),
        });
    }
  }

  #now(db: Knex): Knex.Raw {
    return databaseTimeSql(db, this.#clock);
  }

  #leaseEnd(db: Knex): Knex.Raw {
    return databaseTimeSql(db, this.#clock, this.#leaseMs);
  }
}

const ownLeases = (db: Knex, owner: string, items: readonly LeasedItem[]): Knex.QueryBuilder =>
  db('job_items')
    .whereIn(
      'id',
      items.map(({ id }) => id),
    )
    .where({ lease_owner: owner, state: 'running', attempt: items[0]?.attempt ?? 0 });

const whereDue = (query: Knex.QueryBuilder, now: Knex.Raw): Knex.QueryBuilder =>
  query.where((due) => void due.whereNull('not_before').orWhere('not_before', '<=', now));

/** Parses the input of the job only once for all of its items, because it may be large. */
function createLeasedItemFactory(job: ActiveJobRow, isLeased: () => boolean): (row: ItemRow) => LeasedItem {
  const input = JSON.parse(job.input) as unknown;
  const { owner_user_id: userId, owner_key_id: keyId } = job;
  const owner = userId === null ? null : { userId, keyId };
  return (row) => ({
    id: row.id,
    jobId: job.id,
    kind: job.kind,
    position: row.position,
    siteId: row.site_id,
    identifier: fromStoredIdentifier(row.identifier),
    attempt: row.attempt,
    input,
    requestedBy: job.requested_by,
    owner,
    result: fromJson<unknown>(row.result),
    isOnlyItem: job.total === 1,
    isStaged: job.stages !== null,
    isCancelled: job.state === 'cancelled',
    isLeased,
  });
}
