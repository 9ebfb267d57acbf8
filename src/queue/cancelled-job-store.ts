import type { Knex } from 'knex';
import { databaseTime } from '../db/database-clock.ts';
import { lockForUpdate } from '../db/dialect.ts';
import type { Clock } from '../shared/clock.ts';
import type { JobState } from './job.ts';

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
 * Ends the items of a canceled job that no process works on. Postponed items with a result succeed with it. Other
 * waiting items get `svc_cancelled`. Items whose lease has expired may or may not have been carried out, and get
 * `svc_outcome_unknown`.
 */
export async function endUnfinishedItems(trx: Knex.Transaction, jobId: string, clock: Clock): Promise<void> {
  const now = clock.now();
  const postponed = await trx('job_items')
    .where({ job_id: jobId, state: 'waiting' })
    .whereNotNull('result')
    .update({ state: 'succeeded', completed_at: now });
  const waiting = await trx('job_items').where({ job_id: jobId, state: 'waiting' }).update({
    state: 'cancelled',
    error_code: 'svc_cancelled',
    error_message: 'The job was cancelled before this item started.',
    completed_at: now,
  });
  const interrupted = await trx('job_items')
    .where({ job_id: jobId, state: 'running' })
    .where('lease_until', '<', databaseTime(trx, clock))
    .update({
      state: 'failed',
      lease_owner: null,
      lease_until: null,
      error_code: 'svc_outcome_unknown',
      error_message: 'This item was interrupted, and the job was cancelled.',
      completed_at: now,
    });
  const failed = waiting + interrupted;
  if (postponed + failed > 0)
    await trx('jobs')
      .where({ id: jobId })
      .update({
        processed: trx.raw('processed + ?', [postponed + failed]),
        succeeded: trx.raw('succeeded + ?', [postponed]),
        failed: trx.raw('failed + ?', [failed]),
      });
}
