import type { Knex } from 'knex';
import { IDS_A_STATEMENT } from '../db/chunks.ts';
import { databaseTimeSql } from '../db/database-clock.ts';
import { lockForUpdate } from '../db/dialect.ts';
import type { Clock } from '../shared/clock.ts';
import { addToCounters } from './job-counters-store.ts';
import { END_STATES, type EndState, type ItemCounts, type JobState } from './job.ts';

interface JobToEnd {
  id: string;
  kind: string;
}

/** Names of the kinds whose begun items are finished by a later attempt, even if their job was canceled. */
export type FinishedKinds = () => readonly string[];

export async function endCancelledJobs(
  trx: Knex.Transaction,
  jobIds: readonly string[],
  clock: Clock,
  finished: FinishedKinds,
): Promise<string[]> {
  if (jobIds.length === 0) return [];
  const jobs = await lockForUpdate(
    trx,
    trx<JobToEnd & { state: JobState }>('jobs')
      .whereIn('id', [...new Set(jobIds)])
      .select('id', 'kind', 'state'),
  );
  const cancelled = jobs.filter(({ state }) => state === 'cancelled');
  for (const job of cancelled) await endUnfinishedItems(trx, job, clock, finished);
  return cancelled.map(({ id }) => id);
}

/** Returns the oldest canceled jobs that have items to end. The others wait for their begun items to be finished. */
export function oldestJobsToEnd(knex: Knex, limit: number, clock: Clock, finished: FinishedKinds): Promise<JobToEnd[]> {
  return knex('jobs')
    .where({ state: 'cancelled' })
    .whereNull('completed_at')
    .whereExists((items) => {
      void items
        .select(knex.raw('1'))
        .from('job_items')
        .where('job_items.job_id', knex.ref('jobs.id'))
        .where((toEnd) => {
          void toEnd.where({ 'job_items.state': 'waiting', end_state: null }).orWhere((unfinished) => {
            void unfinished.whereNotIn('jobs.kind', [...finished()]).where((left) => {
              void left.where('job_items.state', 'waiting').orWhere('lease_until', '<', databaseTimeSql(knex, clock));
            });
          });
        });
    })
    .orderBy('created_at')
    .limit(limit)
    .select<JobToEnd[]>('id', 'kind');
}

/**
 * Ends the items of a canceled job that no process works on. Postponed items with a result end in the state of that
 * result, and running items whose lease has expired become `unknown`, unless a later attempt finishes them. Other
 * waiting items become `not_begun`.
 */
export async function endUnfinishedItems(
  trx: Knex.Transaction,
  { id: jobId, kind }: JobToEnd,
  clock: Clock,
  finished: FinishedKinds,
): Promise<void> {
  const now = clock.now();
  const counts: ItemCounts = { succeeded: 0, partial: 0, failed: 0, unknown: 0, not_begun: 0 };
  const isFinishedLater = finished().includes(kind);
  const waitingItems = (endState: EndState | null): Knex.QueryBuilder =>
    trx('job_items').where({ job_id: jobId, state: 'waiting', end_state: endState });
  if (!isFinishedLater)
    for (const state of END_STATES)
      counts[state] = await updateInParts(() => waitingItems(state), { state, completed_at: now });
  const waiting = await updateInParts(() => waitingItems(null), {
    state: 'not_begun',
    error_code: 'svc_cancelled',
    error_message: 'The job was cancelled before this item started.',
    completed_at: now,
  });
  const interruptedItems = (): Knex.QueryBuilder =>
    trx('job_items').where({ job_id: jobId, state: 'running' }).where('lease_until', '<', databaseTimeSql(trx, clock));
  counts.not_begun += waiting;
  if (!isFinishedLater)
    counts.unknown += await updateInParts(interruptedItems, {
      state: 'unknown',
      lease_owner: null,
      lease_until: null,
      error_code: 'svc_outcome_unknown',
      error_message: 'This item was interrupted, and the job was cancelled.',
      completed_at: now,
    });
  await addToCounters(trx, jobId, counts);
}

/** Updates some rows per statement, so that other statements run between. Returns the number of updated rows. */
async function updateInParts(rows: () => Knex.QueryBuilder, values: object): Promise<number> {
  let updated = 0;
  for (let size = IDS_A_STATEMENT; size === IDS_A_STATEMENT;) {
    const ids = await rows().limit(IDS_A_STATEMENT).pluck<number[]>('id');
    // The condition is repeated, because another process may have begun an item meanwhile.
    if (ids.length > 0) updated += await rows().whereIn('id', ids).update(values);
    size = ids.length;
  }
  return updated;
}
