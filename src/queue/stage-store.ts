import type { Knex } from 'knex';
import { addToCounters } from './job-counters.ts';
import type { Stages } from './job.ts';

interface StagedJobRow {
  id: string;
  stages: string;
  open_stage: number;
  flawed: number;
}

/**
 * Opens the next stage of each job whose open stage has ended, or stops the job if it has too many flawed items. Runs
 * in the transaction that records the outcomes. That transaction has locked the row of the job, so exactly one process
 * does this.
 */
export async function advanceStages(trx: Knex.Transaction, jobIds: readonly string[], now: number): Promise<void> {
  const jobs = await trx('jobs')
    .whereIn('id', jobIds)
    .where({ state: 'processing' })
    .whereNotNull('stages')
    .whereNull('stopped_stage')
    .select<StagedJobRow[]>('id', 'stages', 'open_stage', 'flawed');
  for (const job of jobs) {
    const { stopAfter } = JSON.parse(job.stages) as Stages;
    if (job.flawed >= stopAfter) await stopJob(trx, job, now);
    else await openNextStage(trx, job);
  }
}

/** Stops a job before its items that have not begun. Postponed items with a result still run to their end. */
async function stopJob(trx: Knex.Transaction, { id, open_stage }: StagedJobRow, now: number): Promise<void> {
  const ended = await trx('job_items').where({ job_id: id, state: 'waiting' }).whereNull('result').update({
    state: 'not_begun',
    error_code: 'svc_ring_stopped',
    error_message: 'The run stopped at an earlier ring, so this item was not started.',
    completed_at: now,
  });
  await trx('jobs').where({ id }).update({ stopped_stage: open_stage });
  await addToCounters(trx, id, { not_begun: ended });
}

async function openNextStage(trx: Knex.Transaction, { id, open_stage }: StagedJobRow): Promise<void> {
  const unfinished = trx('job_items').where({ job_id: id }).whereIn('state', ['waiting', 'running']);
  const row = await unfinished.min<{ stage: number | string | null }[]>({ stage: 'stage' });
  const next = Number(row[0]?.stage ?? open_stage);
  if (next <= open_stage) return;
  await trx('jobs').where({ id }).update({ open_stage: next });
}
