/** Size of the fleet, and the records that the worst-case inputs are about. */
export const SITES = 5_000;
export const TASKS = 30_000;
export const CHANGES = 200_000;
/** Site with half of all changes, spread over the past year. */
export const BUSY_SITE = 1;
/** Client of the first sites. */
export const BUSY_CLIENT = 1;
export const CLIENT_SITES = 500;
/** Tag of all sites. */
export const COMMON_TAG = 1;
/** Tag of the first half of the sites. */
export const HALF_TAG = 2;
/** Sites without the busy one, so that a list reads many rows before it finds one of these sites. */
export const FEW_SITES = [SITES - 4, SITES - 3, SITES - 2, SITES - 1, SITES];
/** Tag without sites, which the trivial GET reads. */
export const QUIET_TAG = 50;
export const BUSY_ACTOR = 'editor';
/** Job with items that all failed, so that a retry queues them again. */
export const FAILED_JOB = 'sync_failed';
export const FAILED_ITEMS = 100_000;
/** Tools that ran on all sites. Each run has the name of its tool as its ID. */
export const TOOLS = ['destroy-sessions', 'renew-connections', 'disconnect-all-sites'] as const;
export const PACKAGES = 500;
/** Jobs that retention deletes. */
export const EXPIRED_JOBS = 10;
export const ITEMS_OF_EXPIRED = 10_000;
/** Changes that retention replaces with monthly counts. */
export const EXPIRED_CHANGES = 20_000;

/** Sites that no other call disconnects or suspends, so that a call can connect them again. */
export const FIRST_RESERVED_SITE = 4_901;

/** Fleet of the sync that runs to its end. */
export const SYNCED_SITES = 10_000;

/** Number of sites up to which a call waits for the results. */
export const INLINE_SITES = 200;
export const sitesFrom = (first: number): number[] => Array.from({ length: INLINE_SITES }, (_, index) => first + index);
