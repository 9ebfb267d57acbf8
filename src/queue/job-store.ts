import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { chunks } from '../db/chunks.ts';
import { databaseTime } from '../db/database-clock.ts';
import { lockForClaim, lockForUpdate } from '../db/dialect.ts';
import { fromJson, toJson } from '../db/json.ts';
import { LeaseLostError, leaseTimer } from '../db/lease.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY, type Clock } from '../shared/clock.ts';
import { truncate } from '../shared/text.ts';
import { fromStoredIdentifier, toStoredIdentifier } from './stored-identifier.ts';
import type { EndOutcome, FinishedItem, ItemCounts, JobState, LeasedItem, NewJobRows } from './job.ts';
import { endCancelledJobs, endUnfinishedItems } from './cancelled-job-store.ts';
import { addToCounters } from './job-counters-store.ts';
import { findKindsAtLimit, countFreeSlots } from './concurrency-limit-store.ts';
import { advanceStages } from './stage-store.ts';

const RETENTION = 30 * DAY;
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
  input: string;
  requested_by: string;
  total: number;
  open_stage: number;
  stages: string | null;
}

interface DoneJobRow {
  id: string;
  state: JobState;
  total: number;
  processed: number;
  succeeded: number;
  partial: number;
  stopped_stage: number | null;
}

const ITEM_COLUMNS = ['id', 'job_id', 'position', 'site_id', 'identifier', 'attempt', 'result'] as const;

/** Maximum number of running items by kind (default: no limits), and the kinds to claim (default: all). */
export interface ClaimRules {
  limits?: () => ReadonlyMap<string, number>;
  kinds?: () => readonly string[];
}

export interface ClaimOptions {
  onlySingle?: boolean;
}

export class JobStore {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #limits: () => ReadonlyMap<string, number>;
  readonly #kinds: (() => readonly string[]) | undefined;

  constructor(knex: Knex, clock: Clock, leaseMs: number, { limits = () => new Map(), kinds }: ClaimRules = {}) {
    this.#knex = knex;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#limits = limits;
    this.#kinds = kinds;
  }

  /**
   * Inserts a job and returns its ID. If `owner` is a process, the items are leased to it immediately and need no
   * claim.
   */
  async insert(trx: Knex.Transaction, job: NewJobRows, owner: string | null): Promise<string> {
    const id = `${job.kind}_${randomUUID()}`;
    const now = this.#clock.now();
    const total = job.items.length;
    const leased = owner === null ? null : { owner, until: this.#leaseEnd(trx) };
    const { notBefore } = job;
    await trx('jobs').insert({
      id,
      kind: job.kind,
      state: total === 0 ? 'completed' : leased ? 'processing' : 'queued',
      total,
      processed: 0,
      succeeded: 0,
      failed: 0,
      requested_by: job.requestedBy,
      input: toJson(job.input),
      created_at: now,
      started_at: leased ? now : null,
      completed_at: total === 0 ? now : null,
      stages: job.stages ? toJson(job.stages) : null,
      open_stage: job.items.reduce((first, { stage = 0 }) => Math.min(first, stage), job.items[0]?.stage ?? 0),
    });
    const items = job.items.map((item, position) => ({ ...item, position }));
    for (const chunk of chunks(items))
      await trx('job_items').insert(
        chunk.map(({ siteId, identifier, position, stage = 0, resumed = false }) => ({
          job_id: id,
          position,
          site_id: siteId,
          stage,
          identifier: toStoredIdentifier(identifier),
          state: leased ? 'running' : 'waiting',
          lease_owner: leased?.owner ?? null,
          lease_until: leased?.until ?? null,
          not_before: notBefore === undefined ? null : this.#databaseTimeOf(trx, notBefore),
          attempt: (leased ? 1 : 0) + (resumed ? 1 : 0),
          started_at: leased ? now : null,
        })),
      );
    return id;
  }

  /** Returns the items of a job that were leased when it was inserted. `isLeased` was made before that. */
  async leasedBy(owner: string, jobId: string, isLeased: () => boolean): Promise<LeasedItem[]> {
    const job = await this.#knex<ActiveJobRow>('jobs')
      .where({ id: jobId })
      .first('id', 'kind', 'input', 'requested_by', 'total', 'open_stage', 'stages');
    if (!job) return [];
    const rows = await this.#knex<ItemRow>('job_items')
      .where({ job_id: jobId, lease_owner: owner, state: 'running' } as object)
      .orderBy('position')
      .select(...ITEM_COLUMNS);
    return rows.map(leasing(job, isLeased));
  }

  async claim(owner: string, limit: number, options: ClaimOptions = {}): Promise<LeasedItem[]> {
    const jobs = await this.#claimableJobs(options);
    if (jobs.length === 0) return [];
    const share = Math.ceil(limit / jobs.length);
    const claimed: LeasedItem[] = [];
    for (const job of jobs) {
      const count = Math.min(share, limit - claimed.length);
      if (count <= 0) break;
      claimed.push(...(await this.#claimOf(job, owner, count)));
    }
    return claimed;
  }

  /**
   * Returns the oldest jobs with items to claim, those with one item first: somebody usually waits for them. Skips
   * kinds that have reached their limit, because their jobs would take the places of later ones, and kinds that this
   * process does not know: a process of another release may know them.
   */
  async #claimableJobs({ onlySingle = false }: ClaimOptions): Promise<ActiveJobRow[]> {
    const kinds = this.#kinds?.();
    const now = this.#databaseTime(this.#knex);
    const oldest = (full: readonly string[]): Promise<ActiveJobRow[]> =>
      this.#knex<ActiveJobRow & { state: string; created_at: number }>('jobs')
        .whereIn('state', ['queued', 'processing'])
        .where((open) => {
          if (kinds) void open.whereIn('kind', [...kinds]);
          if (full.length > 0) void open.whereNotIn('kind', [...full]);
          if (onlySingle) void open.where('total', 1);
        })
        .whereExists(this.#claimable(now))
        .orderByRaw('total > 1, created_at')
        .limit(JOBS_A_CLAIM)
        .select('id', 'kind', 'input', 'requested_by', 'total', 'open_stage', 'stages');
    const jobs = await oldest([]);
    const limits = this.#limits();
    if (!jobs.some(({ kind }) => limits.has(kind))) return jobs;
    const full = await findKindsAtLimit(this.#knex, limits, now);
    return jobs.some(({ kind }) => full.includes(kind)) ? oldest(full) : jobs;
  }

  /**
   * Selects claimable items of a job. Jobs without such items must not take the places of later jobs in a claim, for
   * example while all of their items are postponed.
   */
  #claimable(now: Knex.Raw): Knex.QueryBuilder {
    return this.#knex('job_items')
      .select(this.#knex.raw('1'))
      .where('job_items.job_id', this.#knex.ref('jobs.id'))
      .where((either) => {
        void either
          .where((due) => {
            void isDue(due.where('state', 'waiting'), now).whereRaw('job_items.stage <= jobs.open_stage');
          })
          .orWhere((abandoned) => void abandoned.where('state', 'running').where('lease_until', '<', now));
      });
  }

  async #claimOf(job: ActiveJobRow, owner: string, wanted: number): Promise<LeasedItem[]> {
    const limit = this.#limits().get(job.kind);
    return inTransaction(this.#knex, async ({ trx }) => {
      const isLeased = leaseTimer(this.#leaseMs);
      const now = this.#databaseTime(trx);
      const count =
        limit === undefined ? wanted : Math.min(wanted, await countFreeSlots(trx, job.kind, { limit, now }));
      if (count === 0) return [];
      const waiting = await lockForClaim(
        trx,
        trx<ItemRow>('job_items')
          .where({ job_id: job.id, state: 'waiting' } as object)
          .where('stage', '<=', job.open_stage)
          .where((due) => void isDue(due, now))
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
      return rows.map((row) => ({ ...row, attempt: row.attempt + 1 })).map(leasing(job, isLeased));
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
   * Renews the leases of these items, and returns the items whose lease was lost. An item whose outcome was lost must
   * not be passed: its lease has to expire, so that the item runs again.
   */
  async renew(owner: string, items: readonly LeasedItem[]): Promise<LeasedItem[]> {
    const lost: LeasedItem[] = [];
    for (const attempt of new Set(items.map((item) => item.attempt))) {
      const some = items.filter((item) => item.attempt === attempt);
      const isLeased = leaseTimer(this.#leaseMs);
      const renewed = await leasesOf(this.#knex, owner, some).update({ lease_until: this.#leaseEnd(this.#knex) });
      const kept =
        renewed === some.length ? null : new Set(await leasesOf(this.#knex, owner, some).pluck<number[]>('id'));
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

  async lockLease(trx: Knex.Transaction, owner: string, item: LeasedItem): Promise<void> {
    const rows = await lockForUpdate(trx, leasesOf(trx, owner, [item]).select<{ id: number }[]>('id'));
    if (rows.length === 0) throw new LeaseLostError();
  }

  async release(owner: string, items: readonly LeasedItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#knex('job_items')
      .whereIn(
        'id',
        items.map(({ id }) => id),
      )
      .where({ lease_owner: owner, state: 'running' })
      .update({ state: 'waiting', lease_owner: null, lease_until: null, attempt: this.#knex.raw('attempt - 1') });
  }

  /**
   * Records outcomes and the counters of their jobs in one transaction. Items whose lease has another owner or attempt
   * are skipped, so that each item has exactly one result. Returns the IDs of the jobs that ended.
   */
  async record(owner: string, finished: readonly FinishedItem[]): Promise<string[]> {
    return inTransaction(this.#knex, async ({ trx }) => {
      const rows = await lockForUpdate(
        trx,
        trx('job_items')
          .whereIn(
            'id',
            finished.map(({ item }) => item.id),
          )
          .where({ lease_owner: owner, state: 'running' })
          .select<{ id: number; attempt: number }[]>('id', 'attempt'),
      );
      const attempts = new Map(rows.map(({ id, attempt }) => [id, attempt]));
      const isOurs = ({ id, attempt }: LeasedItem): boolean => attempts.get(id) === attempt;
      const now = this.#clock.now();
      const postponed = finished.flatMap(({ item, outcome }) =>
        isOurs(item) && outcome.state === 'waiting' ? [{ item, outcome }] : [],
      );
      for (const { item, outcome } of postponed)
        await trx('job_items')
          .where({ id: item.id })
          .update({
            ...POSTPONED,
            not_before: this.#databaseTimeOf(trx, outcome.at),
            ...(outcome.end && { end_state: outcome.end.state, ...endColumnsOf(outcome.end) }),
          });
      const cancelledIds = await endCancelledJobs(
        trx,
        postponed.map(({ item }) => item.jobId),
        this.#clock,
      );
      const kept = finished.flatMap(({ item, outcome }) =>
        isOurs(item) && outcome.state !== 'waiting' ? [{ item, outcome }] : [],
      );
      if (kept.length === 0) return this.#finish(trx, cancelledIds, now);
      await trx('job_items')
        .insert(kept.map((each) => toFinishedRow(each, now)))
        .onConflict('id')
        .merge([
          'state',
          'lease_owner',
          'lease_until',
          'result',
          'error_code',
          'error_message',
          'completed_at',
          'verdict',
        ]);
      const jobIds = [...new Set(kept.map(({ item }) => item.jobId))];
      for (const jobId of jobIds) {
        const ofJob = kept.filter(({ item }) => item.jobId === jobId);
        const counts: Partial<ItemCounts> = {};
        for (const { outcome } of ofJob) counts[outcome.state] = (counts[outcome.state] ?? 0) + 1;
        await addToCounters(trx, jobId, counts);
      }
      const staged = [...new Set(kept.flatMap(({ item }) => (item.isStaged ? [item.jobId] : [])))];
      if (staged.length > 0) await advanceStages(trx, staged, now);
      return this.#finish(trx, [...new Set([...jobIds, ...cancelledIds])], now);
    });
  }

  async #finish(trx: Knex.Transaction, jobIds: string[], now: number): Promise<string[]> {
    const done = await trx<DoneJobRow>('jobs')
      .whereIn('id', jobIds)
      .whereNull('completed_at' as never)
      .whereRaw('processed >= total')
      .select('id', 'state', 'succeeded', 'partial', 'stopped_stage');
    for (const { id, state, succeeded, partial, stopped_stage } of done) {
      const isFailed = succeeded + partial === 0 || stopped_stage !== null;
      await trx('jobs')
        .where({ id })
        .update({ state: state === 'cancelled' ? state : isFailed ? 'failed' : 'completed', completed_at: now });
    }
    return done.map(({ id }) => id);
  }

  async cancel(jobId: string): Promise<boolean | null> {
    return inTransaction(this.#knex, async ({ trx }) => {
      const job = await lockForUpdate(
        trx,
        trx<{ id: string; state: JobState }>('jobs').where({ id: jobId }).select('id', 'state'),
      );
      const state = job[0]?.state;
      if (!state) return null;
      if (state !== 'queued' && state !== 'processing') return false;
      const now = this.#clock.now();
      await trx('jobs').where({ id: jobId }).update({ state: 'cancelled' });
      await endUnfinishedItems(trx, jobId, this.#clock);
      await this.#finish(trx, [jobId], now);
      return true;
    });
  }

  /** Ends canceled jobs whose last items were released by a process, or held by a process that died. */
  async settleCancelled(): Promise<void> {
    const jobIds = await this.#knex('jobs')
      .where({ state: 'cancelled' })
      .whereNull('completed_at')
      .orderBy('created_at')
      .limit(JOBS_A_CLAIM)
      .pluck<string[]>('id');
    const now = this.#clock.now();
    for (const jobId of jobIds)
      await inTransaction(this.#knex, async ({ trx }) => {
        await endUnfinishedItems(trx, jobId, this.#clock);
        await this.#finish(trx, [jobId], now);
      });
  }

  #databaseTime(db: Knex, offsetMs = 0): Knex.Raw {
    return databaseTime(db, this.#clock, offsetMs);
  }

  #databaseTimeOf(db: Knex, time: number): Knex.Raw {
    return this.#databaseTime(db, time - this.#clock.now());
  }

  #leaseEnd(db: Knex): Knex.Raw {
    return this.#databaseTime(db, this.#leaseMs);
  }

  async cancelledAmong(jobIds: string[]): Promise<string[]> {
    if (jobIds.length === 0) return [];
    return this.#knex('jobs').whereIn('id', jobIds).where({ state: 'cancelled' }).pluck<string[]>('id');
  }

  async isDone(jobId: string): Promise<boolean> {
    const row = await this.#knex<{ id: string; completed_at: number | null }>('jobs')
      .where({ id: jobId })
      .first('completed_at');
    return row === undefined || row.completed_at !== null;
  }

  /**
   * Deletes up to 50 jobs that ended more than 30 days ago, or the `keptForMs` of the given kind, and returns their
   * number. The small batches keep other statements from waiting.
   */
  async deleteExpired(kind: { name: string; keptForMs: number | undefined } | null = null): Promise<number> {
    const ids = await this.#knex('jobs')
      .where(kind ? { kind: kind.name } : {})
      .where('completed_at', '<', this.#clock.now() - (kind?.keptForMs ?? RETENTION))
      .limit(50)
      .pluck<string[]>('id');
    if (ids.length > 0) await this.#knex('jobs').whereIn('id', ids).delete();
    return ids.length;
  }
}

const leasesOf = (db: Knex, owner: string, items: readonly LeasedItem[]): Knex.QueryBuilder =>
  db('job_items')
    .whereIn(
      'id',
      items.map(({ id }) => id),
    )
    .where({ lease_owner: owner, state: 'running', attempt: items[0]?.attempt ?? 0 });

const isDue = (query: Knex.QueryBuilder, now: Knex.Raw): Knex.QueryBuilder =>
  query.where((due) => void due.whereNull('not_before').orWhere('not_before', '<=', now));

const POSTPONED = { state: 'waiting', lease_owner: null, lease_until: null } as const;

/**
 * Returns a converter for the item rows of a job. The input of the job is parsed only once for all of its items,
 * because it may be large.
 */
function leasing(job: ActiveJobRow, isLeased: () => boolean): (row: ItemRow) => LeasedItem {
  const input = JSON.parse(job.input) as unknown;
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
    result: fromJson<unknown>(row.result),
    isOnlyItem: job.total === 1,
    isStaged: job.stages !== null,
    isLeased,
  });
}

type EndedItem = FinishedItem & { outcome: EndOutcome };

function toFinishedRow({ item, outcome }: EndedItem, now: number): Record<string, unknown> {
  return {
    id: item.id,
    job_id: item.jobId,
    position: item.position,
    identifier: toStoredIdentifier(item.identifier),
    attempt: item.attempt,
    state: outcome.state,
    lease_owner: null,
    lease_until: null,
    ...endColumnsOf(outcome),
    completed_at: now,
    verdict: outcome.verdict ?? null,
  };
}

const endColumnsOf = ({ state, result, fault }: EndOutcome) => ({
  result: state === 'succeeded' || result ? toJson(result ?? {}) : null,
  error_code: fault?.code ?? null,
  error_message: fault ? truncate(fault.message, 500) : null,
});
