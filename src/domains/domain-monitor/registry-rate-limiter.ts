import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, isPossibleTime, type Clock } from '../../shared/clock.ts';
import { RegistryRateLimitRepository, type RateLimitState } from './registry-rate-limit-repository.ts';

export type RateLimitDecision =
  | { open: true }
  /** `closed` is true if the registry asked for this wait. */
  | { open: false; waitMs: number; closed: boolean };

const LONGEST_PAUSE = DAY;

export interface RegistryRateLimiterDeps {
  knex: Knex;
  clock: Clock;
  /** Milliseconds between two requests to one registry. */
  spacing: () => number;
}

/** Ignores times that were stored while a clock was ahead. */
function withoutWrongTimes({ askedAt, closedUntil, busyUntil }: RateLimitState, now: number): RateLimitState {
  const possible = (time: number, latest: number): number => (isPossibleTime(time, latest) ? time : 0);
  return {
    askedAt: possible(askedAt, now),
    closedUntil: possible(closedUntil, now + LONGEST_PAUSE),
    busyUntil: possible(busyUntil, now + LONGEST_PAUSE),
  };
}

/** Limits the requests of all processes to each registry, and observes the pauses that registries ask for. */
export class RegistryRateLimiter {
  readonly #deps: RegistryRateLimiterDeps;

  constructor(deps: RegistryRateLimiterDeps) {
    this.#deps = deps;
  }

  tryAcquire(host: string): Promise<RateLimitDecision> {
    return this.#change(host, (gate, now): [RateLimitDecision, Partial<RateLimitState>] => {
      const closedMs = gate.closedUntil - now;
      const spacedMs = gate.askedAt + this.#deps.spacing() - now;
      if (closedMs > 0) return [{ open: false, waitMs: closedMs, closed: true }, {}];
      // `askedAt` is in the future if the clock was set back. The request is then admitted.
      if (spacedMs > 0 && gate.askedAt <= now) return [{ open: false, waitMs: spacedMs, closed: false }, {}];
      return [{ open: true }, { askedAt: now }];
    });
  }

  /** Returns the rest of the pause that the registry asked for, in milliseconds, or 0. */
  async pauseOf(host: string): Promise<number> {
    const gate = await new RegistryRateLimitRepository(this.#deps.knex).find(host);
    const now = this.#deps.clock.now();
    return Math.max(0, withoutWrongTimes(gate, now).closedUntil - now);
  }

  /**
   * Returns the time to try again in milliseconds since 1970, or null if it is later than `latest`. Each call gets a
   * different time.
   */
  defer(host: string, latest: number): Promise<number | null> {
    return this.#change(host, (gate, now): [number | null, Partial<RateLimitState>] => {
      const busyUntil = Math.max(now, gate.busyUntil, gate.closedUntil) + this.#deps.spacing();
      return busyUntil > latest ? [null, {}] : [busyUntil, { busyUntil }];
    });
  }

  async pause(host: string, pauseMs: number): Promise<void> {
    await this.#change(host, (gate, now): [void, Partial<RateLimitState>] => [
      undefined,
      { closedUntil: Math.max(gate.closedUntil, now + Math.min(pauseMs, LONGEST_PAUSE)) },
    ]);
  }

  async #change<T>(
    host: string,
    decide: (gate: RateLimitState, now: number) => [T, Partial<RateLimitState>],
  ): Promise<T> {
    await new RegistryRateLimitRepository(this.#deps.knex).ensure(host);
    return inTransaction(this.#deps.knex, async ({ trx }) => {
      const gates = new RegistryRateLimitRepository(trx);
      const now = this.#deps.clock.now();
      const gate = withoutWrongTimes(await gates.lock(host), now);
      const [answer, change] = decide(gate, now);
      if (Object.keys(change).length > 0) await gates.save(host, { ...gate, ...change });
      return answer;
    });
  }
}
