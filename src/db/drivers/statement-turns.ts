import { createEventLoopGate } from '../../shared/event-loop.ts';

/** Time that statements may take in one turn of the event loop. */
const LONGEST_TURN_MS = 10;

/**
 * Divides synchronous statements into turns of the event loop. Without it, a task that only waits for statements runs
 * to its end before any other request is read.
 */
class StatementTurns {
  readonly #nextTurn = createEventLoopGate();
  #began: number | null = null;

  /** Returns a promise if the current turn has taken too long, and undefined if a statement may run in it. */
  wait(): Promise<void> | undefined {
    if (this.#began !== null) return performance.now() - this.#began > LONGEST_TURN_MS ? this.#nextTurn() : undefined;
    this.#began = performance.now();
    setImmediate(() => (this.#began = null));
    return undefined;
  }
}

/** All connections of this process share the event loop. */
export const statementTurns = new StatementTurns();
