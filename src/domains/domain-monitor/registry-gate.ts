import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { RegistryGateRepository, type GateRow } from './registry-gate-repository.ts';

export type Admission =
  | { open: true }
  /** `closed` is true if the registry asked for the pause. */
  | { open: false; waitMs: number; closed: boolean };

/** Limit for the pause that a registry asks for. */
const LONGEST_PAUSE = DAY;

export interface RegistryGateParts {
  knex: Knex;
  clock: Clock;
  /** Milliseconds between two requests to one registry. */
  spacing: () => number;
}

/** Limits how often a registry is asked, across all processes, and observes the pauses that registries ask for. */
export class RegistryGate {
  readonly #parts: RegistryGateParts;

  constructor(parts: RegistryGateParts) {
    this.#parts = parts;
  }

  /** Admits a request if the registry may be asked at this moment, and stores the time. */
  enter(host: string): Promise<Admission> {
    return this.#change(host, (gate, now): [Admission, Partial<GateRow>] => {
      const closedMs = gate.closedUntil - now;
      const spacedMs = gate.askedAt + this.#parts.spacing() - now;
      if (closedMs > 0) return [{ open: false, waitMs: closedMs, closed: true }, {}];
      // `askedAt` is in the future if the clock was set back. The request is then admitted.
      if (spacedMs > 0 && gate.askedAt <= now) return [{ open: false, waitMs: spacedMs, closed: false }, {}];
      return [{ open: true }, { askedAt: now }];
    });
  }

  /** Returns the time to try again in milliseconds since 1970. Each call gets a different time. */
  putOff(host: string): Promise<number> {
    return this.#change(host, (gate, now): [number, Partial<GateRow>] => {
      const busyUntil = Math.max(now, gate.busyUntil, gate.closedUntil) + this.#parts.spacing();
      return [busyUntil, { busyUntil }];
    });
  }

  async close(host: string, pauseMs: number): Promise<void> {
    await this.#change(host, (gate, now): [void, Partial<GateRow>] => [
      undefined,
      { closedUntil: Math.max(gate.closedUntil, now + Math.min(pauseMs, LONGEST_PAUSE)) },
    ]);
  }

  async #change<T>(host: string, decide: (gate: GateRow, now: number) => [T, Partial<GateRow>]): Promise<T> {
    await new RegistryGateRepository(this.#parts.knex).ensure(host);
    return inTransaction(this.#parts.knex, async ({ trx }) => {
      const gates = new RegistryGateRepository(trx);
      const gate = await gates.lock(host);
      const [answer, change] = decide(gate, this.#parts.clock.now());
      if (Object.keys(change).length > 0) await gates.save(host, { ...gate, ...change });
      return answer;
    });
  }
}
