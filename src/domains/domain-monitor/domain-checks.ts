import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { readDatabaseTime } from '../../db/database-clock.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, isPossibleTime, MINUTE, type Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { WatchedDomain } from './watched-domain.ts';
import { QUERY_DEADLINE, type DomainLookup, type LookupOptions } from './domain-lookup.ts';
import type { DomainAlerts } from './domain-alerts.ts';
import type { DomainRecorder } from './domain-recorder.ts';
import { DomainRepository } from './domain-repository.ts';

export interface DomainCheckOptions extends LookupOptions {
  allowCached: boolean;
  actor: string;
}

/**
 * `limited`: the rate limit prevented the request. `busy`: another caller's lookup has not ended, and `until` is the
 * end of its lease.
 */
export type DomainCheckOutcome =
  | { kind: 'asked' | 'limited' | 'kept'; domain: WatchedDomain }
  | { kind: 'put_off' | 'busy'; until: number };

export interface DomainChecksDeps {
  knex: Knex;
  clock: Clock;
  lookup: DomainLookup;
  recorder: DomainRecorder;
  alerts: DomainAlerts;
  deadlineMs?: number | undefined;
}

const KEPT_FOR = DAY;
/**
 * Lease of one lookup. It is longer than the wait for the rate limit, the search for the server, the lookup and the
 * recording of its result together.
 */
const LEASE = 2 * MINUTE;
/** Milliseconds between two checks whether another caller's lookup has ended. */
const LOOK_EVERY = 200;
/** Maximum wait for another caller's lookup, as a multiple of the time limit of a query. */
const PATIENCE = 3;

/** A domain is deleted with its last site, also during a call. */
const domainNotUsedError = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'No site uses this domain any more.');

type LookupClaim = { leaseUntil: number } | { kept: WatchedDomain } | { heldUntil: number };

/** Looks up domains. Only one process looks up a domain at a time, and all sites of the domain share the result. */
export class DomainChecks {
  readonly #deps: DomainChecksDeps;

  constructor(deps: DomainChecksDeps) {
    this.#deps = deps;
  }

  /** Releases all leases. Call this only if no other process uses the database: they then belong to ended processes. */
  releaseStaleLeases(): Promise<void> {
    return new DomainRepository(this.#deps.knex).releaseAll();
  }

  async check(name: string, options: DomainCheckOptions): Promise<DomainCheckOutcome> {
    const cameAt = this.#deps.clock.now();
    const patience = performance.now() + PATIENCE * (this.#deps.deadlineMs ?? QUERY_DEADLINE);
    for (let waited = false; ; waited = true) {
      const isAfter = (time: number | null, earliest: number): boolean =>
        time !== null && time >= earliest && isPossibleTime(time, this.#deps.clock.now());
      const claim = await this.#claim(name, ({ askedAt, answeredAt }) => {
        // A lookup that ended while this call waited is new enough, even if the caller does not accept stored answers.
        if (waited && isAfter(askedAt, cameAt)) return true;
        return options.allowCached && isAfter(answeredAt, cameAt - KEPT_FOR);
      });
      if ('kept' in claim) {
        // A process that was killed after it recorded the lookup has not raised the alerts.
        await this.#deps.alerts.raiseAll(this.#deps.knex, { domain: name });
        return { kind: 'kept', domain: claim.kept };
      }
      if ('leaseUntil' in claim) return this.#lookUp(name, claim.leaseUntil, options);
      if (performance.now() > patience) return { kind: 'busy', until: claim.heldUntil };
      await sleep(LOOK_EVERY, undefined, { signal: options.signal });
    }
  }

  async #lookUp(name: string, leaseUntil: number, options: DomainCheckOptions): Promise<DomainCheckOutcome> {
    const { lookup, recorder } = this.#deps;
    try {
      const outcome = await lookup.lookUp(name, options);
      if (outcome.kind === 'put_off') {
        await this.#release(name, leaseUntil);
        return outcome;
      }
      const domain = await recorder.record({ name, outcome, leaseUntil, actor: options.actor });
      if (!domain) throw domainNotUsedError();
      const wasSent = outcome.kind === 'found' || outcome.fault.wasSent;
      return { kind: wasSent ? 'asked' : 'limited', domain };
    } catch (error) {
      await this.#release(name, leaseUntil);
      throw error;
    }
  }

  async #claim(name: string, isGood: (domain: WatchedDomain) => boolean): Promise<LookupClaim> {
    await new DomainRepository(this.#deps.knex).ensure(name);
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const domains = new DomainRepository(trx);
      const domain = await domains.lock(name);
      if (!domain) throw domainNotUsedError();
      const now = await readDatabaseTime(trx, this.#deps.clock);
      if (isGood(domain)) return { kept: domain };
      if (domain.leaseUntil !== null && domain.leaseUntil > now) return { heldUntil: domain.leaseUntil };
      // The lease end identifies the lease, so it must be unique even if the clock stands still.
      const leaseUntil = Math.max(now + LEASE, (domain.leaseUntil ?? 0) + 1);
      await domains.lease(name, leaseUntil);
      return { leaseUntil };
    });
  }

  #release(name: string, leaseUntil: number): Promise<void> {
    return new DomainRepository(this.#deps.knex).release(name, leaseUntil);
  }
}
