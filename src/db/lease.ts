import type { Knex } from 'knex';

/**
 * Thrown in a process whose lease another process may have taken, for example because it stood still for longer than
 * the lease. It is no `DomainError`, because it must not become the result of the work.
 */
export class LeaseLostError extends Error {
  constructor(message = 'The lease of this work was lost to another process.') {
    super(message);
    this.name = 'LeaseLostError';
  }
}

/** Exclusive right to work on something. It ends when another process takes it after its time has passed. */
export interface Lease {
  /**
   * Renews the lease right before a change is sent. Returns a function that is true while the lease cannot have
   * expired. Throws `LeaseLostError`.
   */
  confirm(): Promise<() => boolean>;
  /** Keeps the lease until the end of a transaction that stores a result. Throws `LeaseLostError`. */
  lock(trx: Knex.Transaction): Promise<void>;
}

/** Share of a lease in which its holder trusts it. The rest covers the time between the last look and the request. */
const TRUSTED = 0.9;

/**
 * Returns a function that is true while a lease cannot have expired. Call this before the statement that takes or
 * renews it. The monotonic clock stands still while a machine sleeps, and the other clock can be set back, so the
 * longer time counts.
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
