import type { Knex } from 'knex';
import { toJson } from '../db/json.ts';
import { addToCounters } from './job-counters-store.ts';
import type { JobStages, StageStop } from './job.ts';
import { countStages, type StageCounts } from './stage-counts-store.ts';

interface StagedJob {
  id: string;
  total: number;
  stages: JobStages;
  open_stage: number;
}

/**
 * Opens the next stage of each job whose open stage has ended, or stops the job. Runs in the transaction that records
 * the outcomes. That transaction has locked the row of the job, so exactly one process does this.
 */
export async function advanceStages(trx: Knex.Transaction, jobIds: readonly string[], now: number): Promise<void> {
  const rows = await trx('jobs')
    .whereIn('id', jobIds)
    .where({ state: 'processing' })
    .whereNotNull('stages')
    .whereNull('stopped_stage')
    .select<(Omit<StagedJob, 'stages'> & { stages: string })[]>('id', 'total', 'stages', 'open_stage');
  const jobs = rows.map((row): StagedJob => ({ ...row, stages: JSON.parse(row.stages) as JobStages }));
  const counts = await countStages(trx, jobs);
  for (const job of jobs) {
    const ofJob = counts.get(job.id) ?? [];
    const stop = findStageStop(job, ofJob);
    if (stop) await stopJob(trx, job, stop, now);
    else await openNextStage(trx, job, ofJob);
  }
}

function findStageStop({ stages, open_stage }: StagedJob, counts: readonly StageCounts[]): StageStop | null {
  const stage = counts[open_stage];
  if (!stage) return null;
  const { stopAfter, stopAfterMissed } = stages;
  const flawed = counts.reduce((sum, each) => sum + each.flawed, 0);
  if (flawed >= stopAfter) return { why: 'flawed', count: flawed, limit: stopAfter };
  const busy = stage.total - stage.idle;
  if (stopAfterMissed !== undefined) {
    const { limit, missed } =
      'percent' in stopAfterMissed
        ? { limit: Math.ceil((busy * stopAfterMissed.percent) / 100), missed: stage.missed }
        : { limit: stopAfterMissed.count, missed: counts.reduce((sum, each) => sum + each.missed, 0) };
    if (missed > 0 && missed >= limit) return { why: 'missed', count: missed, limit };
  }
  const { stopAfterUnknown: limit } = stages;
  if (limit !== undefined && stage.unknown >= limit) return { why: 'unknown', count: stage.unknown, limit };
  const hasEnded = stage.unfinished === 0;
  return hasEnded && busy > 0 && stage.proven === 0 ? { why: 'unproven', count: busy, limit: 1 } : null;
}

/**
 * Stops a job: its waiting items do not begin. A waiting item with a `result` has already changed its site, so it still
 * runs to its end.
 */
async function stopJob(trx: Knex.Transaction, { id, open_stage }: StagedJob, stop: StageStop, now: number) {
  const ended = await trx('job_items').where({ job_id: id, state: 'waiting' }).whereNull('result').update({
    state: 'not_begun',
    error_code: 'svc_ring_stopped',
    error_message: 'The run was stopped by the result of a ring before this item began.',
    completed_at: now,
  });
  await trx('jobs')
    .where({ id })
    .update({ stopped_stage: open_stage, stage_stop: toJson(stop) });
  await addToCounters(trx, id, { not_begun: ended });
}

async function openNextStage(trx: Knex.Transaction, { id, open_stage }: StagedJob, counts: readonly StageCounts[]) {
  const next = counts.findIndex(({ unfinished }) => unfinished > 0);
  if (next > open_stage) await trx('jobs').where({ id }).update({ open_stage: next });
}
