import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { WatchedDomain } from './domain.ts';
import type { DomainLookup } from './domain-lookup.ts';
import type { DomainRecorder } from './domain-recorder.ts';
import { DomainRepository } from './domain-repository.ts';

/** How a domain is to be checked. */
export interface CheckWish {
  /** An answer that is younger than a day does. */
  mayBeKept: boolean;
  mayBePutOff: boolean;
  actor: string;
  signal?: AbortSignal | undefined;
}

export type CheckedDomain =
  | { kind: 'asked' | 'kept'; domain: WatchedDomain }
  /** It is not this one's turn yet. */
  | { kind: 'put_off'; until: number };

export interface DomainChecksParts {
  knex: Knex;
  clock: Clock;
  lookup: DomainLookup;
  recorder: DomainRecorder;
}

/** A good answer counts for so long. */
const KEPT_FOR = DAY;
/** Longer than a wait at a gate, a look-up with its detours, and the record of it. */
const LEASE = 2 * MINUTE;
/** How often one who waits for the look-up of another looks whether it has ended. */
const LOOK_EVERY = 200;
/** Who has waited so long for others goes by what is known. */
const PATIENCE = 45 * SECOND;

/** Its last site was deleted a moment ago, and the row went with what is forgotten. */
const notFound = (): NotFoundError => new NotFoundError('svc_site_not_found', 'No site lies in this domain any more.');

type Claim = { leaseUntil: number } | { kept: WatchedDomain } | { held: WatchedDomain };

/** Looks domains up: one look-up a domain at a time, in whichever process, and for all of its sites. */
export class DomainChecks {
  readonly #parts: DomainChecksParts;

  constructor(parts: DomainChecksParts) {
    this.#parts = parts;
  }

  /** On a database of one process: what is leased was left by its dead former self. */
  takeOver(): Promise<void> {
    return new DomainRepository(this.#parts.knex).releaseAll();
  }

  async check(name: string, wish: CheckWish): Promise<CheckedDomain> {
    const cameAt = this.#parts.clock.now();
    const patience = performance.now() + PATIENCE;
    for (let waited = false; ; waited = true) {
      const claim = await this.#claim(name, (domain) => {
        // What came of the look-up of another meanwhile is as new as if it were asked for now.
        if (waited && domain.askedAt !== null && domain.askedAt >= cameAt) return true;
        return wish.mayBeKept && domain.answeredAt !== null && domain.answeredAt >= cameAt - KEPT_FOR;
      });
      if ('kept' in claim) return { kind: 'kept', domain: claim.kept };
      if ('leaseUntil' in claim) return this.#ask(name, claim.leaseUntil, wish);
      if (performance.now() > patience) return { kind: 'kept', domain: claim.held };
      await sleep(LOOK_EVERY, undefined, { signal: wish.signal });
    }
  }

  async #ask(name: string, leaseUntil: number, wish: CheckWish): Promise<CheckedDomain> {
    const { lookup, recorder } = this.#parts;
    try {
      const outcome = await lookup.ask(name, wish);
      if (outcome.kind === 'put_off') {
        await this.#release(name, leaseUntil);
        return outcome;
      }
      const domain = await recorder.record({ name, outcome, leaseUntil, actor: wish.actor });
      if (!domain) throw notFound();
      return { kind: 'asked', domain };
    } catch (error) {
      await this.#release(name, leaseUntil);
      throw error;
    }
  }

  async #claim(name: string, isGood: (domain: WatchedDomain) => boolean): Promise<Claim> {
    await new DomainRepository(this.#parts.knex).ensure(name);
    return inTransaction(this.#parts.knex, async ({ trx }) => {
      const domains = new DomainRepository(trx);
      const domain = await domains.lock(name);
      if (!domain) throw notFound();
      const now = this.#parts.clock.now();
      if (isGood(domain)) return { kept: domain };
      if (domain.leaseUntil !== null && domain.leaseUntil > now) return { held: domain };
      // No two leases of a domain are the same, also when a clock stands still.
      const leaseUntil = Math.max(now + LEASE, (domain.leaseUntil ?? 0) + 1);
      await domains.lease(name, leaseUntil);
      return { leaseUntil };
    });
  }

  #release(name: string, leaseUntil: number): Promise<void> {
    return new DomainRepository(this.#parts.knex).release(name, leaseUntil);
  }
}
