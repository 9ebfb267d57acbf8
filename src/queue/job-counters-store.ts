import type { Knex } from 'knex';
import { END_STATES, type ItemCounts } from './job.ts';

export async function addToCounters(
  trx: Knex.Transaction,
  jobId: string,
  counts: Readonly<Partial<ItemCounts>>,
): Promise<void> {
  const ended = END_STATES.map((state) => [state, counts[state] ?? 0] as const).filter(([, count]) => count > 0);
  const processed = ended.reduce((sum, [, count]) => sum + count, 0);
  if (processed === 0) return;
  const added = [['processed', processed] as const, ...ended];
  await trx('jobs')
    .where({ id: jobId })
    .update(Object.fromEntries(added.map(([column, count]) => [column, trx.raw('?? + ?', [column, count])])));
}
