import type { Knex } from 'knex';
import { lockForUpdate } from '../db/dialect.ts';

const ACTIVE = ['queued', 'processing'];

interface SlotCountOptions {
  limit: number;
  now: Knex.Raw;
}

export async function findKindsAtLimit(
  db: Knex,
  limits: ReadonlyMap<string, number>,
  now: Knex.Raw,
): Promise<string[]> {
  if (limits.size === 0) return [];
  const rows = await runningItems(db, [...limits.keys()], now)
    .groupBy('jobs.kind')
    .select<{ kind: string; n: number | string }[]>('jobs.kind', db.raw('count(*) as n'));
  return rows.flatMap(({ kind, n }) => (Number(n) >= (limits.get(kind) ?? Infinity) ? [kind] : []));
}

/**
 * Returns the number of items of a kind that may begin. Locks the unfinished jobs of the kind until the transaction
 * ends, so that concurrent processes count each other's items.
 */
export async function countFreeSlots(
  trx: Knex.Transaction,
  kind: string,
  { limit, now }: SlotCountOptions,
): Promise<number> {
  await lockForUpdate(trx, trx('jobs').where({ kind }).whereIn('state', ACTIVE).orderBy('id').select('id'));
  const [row] = await runningItems(trx, [kind], now).select<{ n: number | string }[]>(trx.raw('count(*) as n'));
  return Math.max(0, limit - Number(row?.n ?? 0));
}

/**
 * Selects running items with a valid lease. An item without a valid lease begins again, so it does not count. Canceled
 * jobs may still have running items.
 */
const runningItems = (db: Knex, kinds: readonly string[], now: Knex.Raw): Knex.QueryBuilder =>
  db('jobs')
    .join('job_items', 'job_items.job_id', 'jobs.id')
    .whereIn('jobs.kind', [...kinds])
    .whereNull('jobs.completed_at')
    .where('job_items.state', 'running')
    .where('job_items.lease_until', '>=', now);
