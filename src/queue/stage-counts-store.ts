import type { Knex } from 'knex';
import { chunksBySize } from '../db/chunks.ts';
import { FEW_ROWS, longRead } from '../db/long-read.ts';
import type { EndState, ItemState, ItemVerdict, JobStages } from './job.ts';

export interface StageCounts extends Record<EndState, number>, Record<ItemVerdict, number> {
  total: number;
  unfinished: number;
  /** Number of items that failed or have an unknown outcome. Items with the verdict `flawed` are not counted. */
  missed: number;
}

/** Number of items that one statement counts. On SQLite a statement blocks the event loop until it ends. */
const ITEMS_A_STATEMENT = 10_000;

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

/**
 * `total` of a job is the number of all its items, also of those that `narrow` leaves out. With `narrow`, the database
 * may begin with the items of the sites, which can be many more than those of the jobs.
 */
export async function countStages(
  db: Knex,
  jobs: readonly { id: string; stages: JobStages | null; total: number }[],
  narrow?: (items: Knex.QueryBuilder) => void,
): Promise<Map<string, StageCounts[]>> {
  const staged = jobs.flatMap(({ id, stages, total }) => (stages ? [{ id, stages, total }] : []));
  const counts = new Map(staged.map(({ id, stages }) => [id, stages.names.map(emptyStageCounts)]));
  const rows: CountedRow[] = [];
  for (const some of chunksBySize(staged, ({ total }) => total, ITEMS_A_STATEMENT)) {
    const last = Math.max(...some.map(({ total }) => total));
    const all = some.reduce((sum, { total }) => sum + total, 0);
    for (let first = 0; first < last; first += ITEMS_A_STATEMENT)
      rows.push(
        ...(await longRead(db('job_items'), narrow !== undefined || all > FEW_ROWS)
          .whereIn(
            'job_id',
            some.map(({ id }) => id),
          )
          .modify((items) => {
            if (last > ITEMS_A_STATEMENT) void items.whereBetween('position', [first, first + ITEMS_A_STATEMENT - 1]);
          })
          .modify((items) => narrow?.(items))
          .groupBy('job_id', 'stage', 'state', 'verdict')
          .select<CountedRow[]>('job_id', 'stage', 'state', 'verdict', db.raw('count(*) as n'))),
      );
  }
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
