import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { truncate } from '../../shared/text.ts';
import { SiteRepository } from './site-repository.ts';
import { SyncReportSequence } from './sync-report-sequence.ts';
import type { SiteStatePatch } from './sync-section.ts';

export interface SyncError {
  code: string;
  message: string;
}

/** Name of the sync error among the sections of `SyncReportSequence`. No section has this name. */
export const SYNC_ERROR = 'sync_error';

export const NO_SYNC_ERROR = { sync_error_code: null, sync_error_message: null, sync_error_at: null } as const;

export const syncErrorColumns = ({ code, message }: SyncError, now: number): SiteStatePatch => ({
  sync_error_code: code,
  sync_error_message: truncate(message, 500),
  sync_error_at: now,
});

/**
 * Stores the error of a sync in the record of the site, unless a sync with a later turn has been stored. `number` is
 * the number of the turn. Without a number, nothing was sent to the site, and the error counts as the latest outcome.
 */
export function storeSyncError(
  { knex, clock }: { knex: Knex; clock: Clock },
  siteId: number,
  error: SyncError,
  number: number | undefined,
): Promise<void> {
  const now = clock.now();
  return inTransaction(knex, async ({ trx }) => {
    const repository = new SiteRepository(trx, now);
    const order = new SyncReportSequence(await repository.lockSyncCheckpoint(siteId), number);
    if (!order.isLatest(SYNC_ERROR)) return;
    await repository.patchState(siteId, { ...syncErrorColumns(error, now), ...order.after([SYNC_ERROR]) });
  });
}
