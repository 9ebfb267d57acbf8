import type { Knex } from 'knex';
import { SiteRepository } from '../sites/index.ts';
import type { IgnorableType } from './update.ts';
import { counterColumns, UpdateRepository } from './update-repository.ts';

/**
 * Applies the ignore rules and pins of a site to its stored updates and its update counters. The transaction must hold
 * the lock of `lockSyncCheckpoint`, as a sync does, so that rules, flags and counters always agree.
 */
export async function applyUpdateRules(
  trx: Knex.Transaction,
  siteId: number,
  type: IgnorableType,
  now: number,
): Promise<void> {
  const updates = new UpdateRepository(trx);
  await updates.refreshLeftOut(siteId, type);
  await new SiteRepository(trx, now).patchState(siteId, counterColumns(await updates.counts(siteId)));
}
