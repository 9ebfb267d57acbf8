import type { Knex } from 'knex';
import { deleteAllInParts } from '../../db/delete-oldest.ts';

/** Deletes everything that grows with the age of a monitor. The foreign keys of the site delete the rest. */
export async function deleteMonitorHistory(trx: Knex.Transaction, siteId: number): Promise<void> {
  const where = { site_id: siteId };
  for (const table of ['heartbeat_days', 'monitor_days'])
    await deleteAllInParts(trx, { table, key: ['site_id', 'day'], where, orderBy: ['day'] });
  const spanKey = ['site_id', 'kind', 'started_at'];
  await deleteAllInParts(trx, { table: 'monitor_spans', key: spanKey, where, orderBy: ['ended_at'] });
  await deleteAllInParts(trx, { table: 'incidents', where, orderBy: ['started_at'] });
}
