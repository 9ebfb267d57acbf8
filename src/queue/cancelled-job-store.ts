import type { Knex } from 'knex';
import { databaseTimeSql } from '../db/database-clock.ts';
import { lockForUpdate } from '../db/dialect.ts';
import type { Clock } from '../shared/clock.ts';
import { addToCounters } from './job-counters-store.ts';
import { END_STATES, type ItemCounts, type JobState } from './job.ts';

export async function endCancelledJobs(
  trx: Knex.Transaction,
  jobIds: readonly string[],
  clock: Clock,
): Promise<string[]> {
  if (jobIds.length === 0) return [];
  const jobs = await lockForUpdate(
    trx,
    trx<{ id: string; state: JobState }>('jobs')
      .whereIn('id', [...new Set(jobIds)])
      .select('id', 'state'),
  );
  const cancelled = jobs.flatMap(({ id, state }) => (state === 'cancelled' ? [id] : []));
  for (const jobId of cancelled) await endUnfinishedItems(trx, jobId, clock);
  return cancelled;
}

/**
 * Ends the items of a canceled job that no process works on. Postponed items with a result end with it. Other waiting
 * items have not begun. The outcome of items whose lease has expired is unknown.
 */
export async function endUnfinishedItems(trx: Knex.Transaction, jobId: string, clock: Clock): Promise<void> {
  const now = clock.now();
  const counts: ItemCounts = { succeeded: 0, partial: 0, failed: 0, unknown: 0, not_begun: 0 };
  for (const state of END_STATES)
    counts[state] = await trx('job_items')
      .where({ job_id: jobId, state: 'waiting', end_state: state })
      .update({ state, completed_at: now });
  const waiting = await trx('job_items').where({ job_id: jobId, state: 'waiting' }).update({
    state: 'not_begun',
    error_code: 'svc_cancelled',
    error_message: 'The job was cancelled before this item started.',
    completed_at: now,
  });
  const interrupted = await trx('job_items')
    .where({ job_id: jobId, state: 'running' })
    .where('lease_until', '<', databaseTimeSql(trx, clock))
    .update({
      state: 'unknown',
      lease_owner: null,
      lease_until: null,
      error_code: 'svc_outcome_unknown',
      error_message: 'This item was interrupted, and the job was cancelled.',
      completed_at: now,
    });
  counts.not_begun += waiting;
  counts.unknown += interrupted;
  await addToCounters(trx, jobId, counts);
}
