import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { RegistryGateRepository, type GateRow } from './registry-gate-repository.ts';

/** Whether a question may be sent now. */
export type Admission =
  | { open: true }
  /** It may be in so many milliseconds; `closed` says that the registry itself asks for that. */
  | { open: false; waitMs: number; closed: boolean };

/** A registry that asks for a longer pause is asked again after this one. */
const LONGEST_PAUSE = DAY;

export interface RegistryGateParts {
  knex: Knex;
  clock: Clock;
  /** Milliseconds between two questions. */
  spacing: () => number;
}

/** Spaces the questions to a registry, whichever process sends them, and keeps the pauses that it asks for. */
export class RegistryGate {
  readonly #parts: RegistryGateParts;

  constructor(parts: RegistryGateParts) {
    this.#parts = parts;
  }

  /** Takes the next place, if that is now. */
  enter(host: string): Promise<Admission> {
    return this.#change(host, (gate, now): [Admission, Partial<GateRow>] => {
      const closedMs = gate.closedUntil - now;
      const spacedMs = gate.askedAt + this.#parts.spacing() - now;
      if (closedMs > 0) return [{ open: false, waitMs: closedMs, closed: true }, {}];
      // A question that lies ahead was asked by a clock that was put back since.
      if (spacedMs > 0 && gate.askedAt <= now) return [{ open: false, waitMs: spacedMs, closed: false }, {}];
      return [{ open: true }, { askedAt: now }];
    });
  }

  /** When to come back: each that is put off has a time of its own. */
  putOff(host: string): Promise<number> {
    return this.#change(host, (gate, now): [number, Partial<GateRow>] => {
      const busyUntil = Math.max(now, gate.busyUntil, gate.closedUntil) + this.#parts.spacing();
      return [busyUntil, { busyUntil }];
    });
  }

  /** The registry asks for a pause. */
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
