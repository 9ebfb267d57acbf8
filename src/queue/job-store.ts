import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { chunks, chunksBySize, IDS_A_STATEMENT } from '../db/chunks.ts';
import { databaseTimeSql } from '../db/database-clock.ts';
import { lockForUpdate } from '../db/dialect.ts';
import { toJson } from '../db/json.ts';
import { inTransaction } from '../db/transaction.ts';
import { DAY, type Clock } from '../shared/clock.ts';
import { truncate } from '../shared/text.ts';
import { toStoredIdentifier } from './stored-identifier.ts';
import type { EndOutcome, FinishedItem, ItemCounts, JobState, LeasedItem, NewItemRow, NewJobRows } from './job.ts';
import { endCancelledJobs, endUnfinishedItems, oldestJobsToEnd, type FinishedKinds } from './cancelled-job-store.ts';
import { addToCounters } from './job-counters-store.ts';
import { advanceStages } from './stage-store.ts';

const RETENTION = 30 * DAY;
const CANCELLED_A_TIME = 16;
const EXPIRED_A_TIME = 50;

interface DoneJobRow {
  id: string;
  state: JobState;
  total: number;
  processed: number;
  succeeded: number;
  partial: number;
  stopped_stage: number | null;
}

export class JobStore {
  readonly #knex: Knex;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #finished: FinishedKinds;
  /** The job whose items are being deleted, and the position of the last deleted item. */
  #deletedItems = { jobs: '', position: -1 };

  constructor(knex: Knex, clock: Clock, leaseMs: number, finished: FinishedKinds = () => []) {
    this.#knex = knex;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#finished = finished;
  }

  /**
   * Inserts a job and returns its ID. If `owner` is a process, the items are leased to it immediately and need no
   * claim. `resumes` is false for a retry that runs its items as new ones: their `resumed` is then ignored.
   */
  async insert(
    trx: Knex.Transaction,
    job: NewJobRows,
    owner: string | null,
    { resumes = true }: { resumes?: boolean } = {},
  ): Promise<string> {
    const id = `${job.kind}_${randomUUID()}`;
    const now = this.#clock.now();
    const { total, firstStage, pages } = 'pages' in job.items ? job.items : pagesOf(job.items);
    const leased = owner === null ? null : { owner, until: databaseTimeSql(trx, this.#clock, this.#leaseMs) };
    const { notBefore, requestedBy } = job;
    await trx('jobs').insert({
      id,
      kind: job.kind,
      state: total === 0 ? 'completed' : leased ? 'processing' : 'queued',
      total,
      processed: 0,
      succeeded: 0,
      failed: 0,
      requested_by: requestedBy.name,
      owner_user_id: requestedBy.owner?.userId ?? null,
      owner_key_id: requestedBy.owner?.keyId ?? null,
      input: toJson(job.input),
      created_at: now,
      started_at: leased ? now : null,
      completed_at: total === 0 ? now : null,
      stages: job.stages ? toJson(job.stages) : null,
      open_stage: firstStage,
    });
    let position = 0;
    for await (const chunk of pages)
      await trx('job_items').insert(
        chunk.map(({ siteId, identifier, stage = 0, resumed = false }) => ({
          job_id: id,
          position: position++,
          site_id: siteId,
          stage,
          identifier: toStoredIdentifier(identifier),
          state: leased ? 'running' : 'waiting',
          lease_owner: leased?.owner ?? null,
          lease_until: leased?.until ?? null,
          not_before: notBefore === undefined ? null : this.#databaseTimeOf(trx, notBefore),
          attempt: (leased ? 1 : 0) + (resumes && resumed ? 1 : 0),
          started_at: leased ? now : null,
        })),
      );
    return id;
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
        this.#finished,
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
      const [job] = await lockForUpdate(
        trx,
        trx<{ id: string; kind: string; state: JobState }>('jobs').where({ id: jobId }).select('id', 'kind', 'state'),
      );
      if (!job) return null;
      const { state } = job;
      if (state !== 'queued' && state !== 'processing') return false;
      const now = this.#clock.now();
      await trx('jobs').where({ id: jobId }).update({ state: 'cancelled' });
      await endUnfinishedItems(trx, job, this.#clock, this.#finished);
      await this.#finish(trx, [jobId], now);
      return true;
    });
  }

  /** Ends canceled jobs that have no running item left: a process has released the last one, or has died. */
  async settleCancelled(): Promise<void> {
    const jobs = await oldestJobsToEnd(this.#knex, CANCELLED_A_TIME, this.#clock, this.#finished);
    const now = this.#clock.now();
    for (const job of jobs)
      await inTransaction(this.#knex, async ({ trx }) => {
        await endUnfinishedItems(trx, job, this.#clock, this.#finished);
        await this.#finish(trx, [job.id], now);
      });
  }

  #databaseTimeOf(db: Knex, time: number): Knex.Raw {
    return databaseTimeSql(db, this.#clock, time - this.#clock.now());
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
   * Deletes the oldest jobs that ended more than 30 days ago, or longer ago than the `keptForMs` of the given kind.
   * Deletes at most 50 jobs and 500 items, so that other statements do not wait for it, and returns the number of rows.
   * A job with more items needs several calls.
   */
  async deleteExpired(kind: { name: string; keptForMs: number | undefined } | null = null): Promise<number> {
    const expired = await this.#knex('jobs')
      .where(kind ? { kind: kind.name } : {})
      .where('completed_at', '<', this.#clock.now() - (kind?.keptForMs ?? RETENTION))
      .orderBy('completed_at')
      .limit(EXPIRED_A_TIME)
      .select<{ id: string; total: number }[]>('id', 'total');
    const [jobs] = chunksBySize(expired, ({ total }) => Number(total), IDS_A_STATEMENT);
    if (!jobs) return 0;
    const ids = jobs.map(({ id }) => id);
    const deleted = await this.#deleteItems(ids);
    return deleted === IDS_A_STATEMENT ? deleted : deleted + (await this.#knex('jobs').whereIn('id', ids).delete());
  }

  /**
   * Deletes at most 500 items, and returns their number. A call for the same jobs begins where the last one ended:
   * MariaDB reads deleted rows again until it has purged them, which takes as long as a dump that runs meanwhile.
   */
  async #deleteItems(jobIds: readonly string[]): Promise<number> {
    const jobs = jobIds.join();
    const after = this.#deletedItems.jobs === jobs ? this.#deletedItems.position : -1;
    const items = await this.#knex('job_items')
      .whereIn('job_id', [...jobIds])
      .where('position', '>', after)
      // With `job_id` in the order, MariaDB would sort all items of the job in each call.
      .orderBy('position')
      .limit(IDS_A_STATEMENT)
      .select<{ id: number; position: number }[]>('id', 'position');
    const ids = items.map(({ id }) => id);
    if (ids.length > 0) await this.#knex('job_items').whereIn('id', ids).delete();
    if (jobIds.length === 1) this.#deletedItems = { jobs, position: items.at(-1)?.position ?? after };
    return ids.length;
  }
}

const pagesOf = (items: readonly NewItemRow[]) => ({
  total: items.length,
  firstStage: items.reduce((first, { stage = 0 }) => Math.min(first, stage), items[0]?.stage ?? 0),
  pages: chunks(items),
});

const POSTPONED = { state: 'waiting', lease_owner: null, lease_until: null } as const;

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
