import type { Knex } from 'knex';

/**
 * Thrown if another process may have taken the lease of this process, for example because this process hung for longer
 * than the lease. It is no `DomainError`, because it must not become the result of the work.
 */
export class LeaseLostError extends Error {
  constructor(message = 'The lease of this work was lost to another process.') {
    super(message);
    this.name = 'LeaseLostError';
  }
}

/** Exclusive right of a process to do a piece of work, for a limited time. Then another process can take it. */
export interface Lease {
  /**
   * Renews the lease right before a change is sent. Returns a function that is true while the lease cannot have
   * expired. Throws `LeaseLostError`.
   */
  confirm(): Promise<() => boolean>;
  /**
   * Locks the row of the lease until the end of a transaction that stores a result, so that no other process can take
   * the lease before the commit. Throws `LeaseLostError`.
   */
  lock(trx: Knex.Transaction): Promise<void>;
}

/**
 * Fraction of the lease duration in which the holder relies on the lease. The rest is the time in which a request can
 * still be sent after the last check.
 */
const TRUSTED = 0.9;

/**
 * Starts a timer and returns a function that is true while a lease of `leaseMs` cannot have expired. Call this before
 * the statement that takes or renews the lease. The longer of two measured times counts, because the monotonic clock
 * stops while a machine sleeps, and the wall clock can be set back.
 */
export function leaseTimer(leaseMs: number): () => boolean {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall) < leaseMs * TRUSTED;
}

export const combineLeases = (...leases: readonly Lease[]): Lease => ({
  confirm: async () => {
    const checks: (() => boolean)[] = [];
    for (const lease of leases) checks.push(await lease.confirm());
    return () => checks.every((isLeased) => isLeased());
  },
  lock: async (trx) => {
    for (const lease of leases) await lease.lock(trx);
  },
});
