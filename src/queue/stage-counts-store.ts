import type { Knex } from 'knex';
import type { EndState, ItemState, ItemVerdict, JobStages } from './job.ts';

export interface StageCounts extends Record<EndState, number>, Record<ItemVerdict, number> {
  total: number;
  unfinished: number;
  /** Number of items that failed or have an unknown outcome. Items with the verdict `flawed` are not counted. */
  missed: number;
}

interface CountedRow {
  job_id: string;
  stage: number;
  state: ItemState;
  verdict: ItemVerdict | null;
  n: number | string;
}

const emptyStageCounts = (): StageCounts => ({
  total: 0,
  unfinished: 0,
  missed: 0,
  succeeded: 0,
  partial: 0,
  failed: 0,
  unknown: 0,
  not_begun: 0,
  proven: 0,
  flawed: 0,
  idle: 0,
});

export async function countStages(
  db: Knex,
  jobs: readonly { id: string; stages: JobStages | null }[],
  narrow: (items: Knex.QueryBuilder) => void = () => undefined,
): Promise<Map<string, StageCounts[]>> {
  const counts = new Map(
    jobs.flatMap(({ id, stages }) => (stages ? [[id, stages.names.map(emptyStageCounts)] as const] : [])),
  );
  if (counts.size === 0) return counts;
  const rows = await db('job_items')
    .whereIn('job_id', [...counts.keys()])
    .modify(narrow)
    .groupBy('job_id', 'stage', 'state', 'verdict')
    .select<CountedRow[]>('job_id', 'stage', 'state', 'verdict', db.raw('count(*) as n'));
  for (const { job_id, stage, state, verdict, n } of rows) {
    const ofStage = counts.get(job_id)?.[stage];
    if (!ofStage) continue;
    const count = Number(n);
    ofStage.total += count;
    ofStage[state === 'waiting' || state === 'running' ? 'unfinished' : state] += count;
    if (verdict) ofStage[verdict] += count;
    if ((state === 'failed' || state === 'unknown') && verdict !== 'flawed') ofStage.missed += count;
  }
  return counts;
}
