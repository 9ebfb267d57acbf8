import type { Fifo } from './fifo.ts';
import type { Load } from './limiter.ts';
import type { CallKind } from './limits.ts';

export interface ScheduledCall<T> {
  /** Null for a site without a record. Its calls have no order and no circuit breaker. */
  siteId: number | null;
  /** Dialed IP address. Calls to the same address share its limit. */
  ipKey: string;
  kind: CallKind;
  /** True if the call is sent even while the circuit breaker pauses the site. */
  ignoresBreaker?: boolean;
  run: (signal?: AbortSignal) => Promise<T>;
  /** Ends the wait of the call, and is passed to `run`. */
  signal?: AbortSignal;
}

/**
 * - `waiting`: in the line of its kind and address
 * - `held`: in the queue of its site, which is busy with another call
 * - `running`: was sent and has not ended
 * - `done`: has ended or was aborted. It is skipped if it is still in a line.
 */
export type CallState = 'waiting' | 'held' | 'running' | 'done';

export type Outcome = { value: unknown } | { error: Error };

export interface QueuedCall {
  readonly call: ScheduledCall<unknown>;
  readonly line: Line;
  state: CallState;
  /** True once the call is the next one of its site. The site is then reserved for it. */
  hasSite: boolean;
  stopListening: () => void;
  settle: (outcome: Outcome) => void;
}

/** Waiting calls of one kind to one address. A line is in the ring of its kind, parked at its address, or empty. */
export interface Line {
  readonly kind: CallKind;
  readonly address: Address;
  readonly calls: Fifo<QueuedCall>;
  isPlaced: boolean;
}

/** Address that has calls, or that was called a short time ago. */
export interface Address extends Load {
  readonly key: string;
  readonly lines: Map<CallKind, Line>;
  /** Lines that wait until the address may be called again. */
  readonly parked: Line[];
  timer: NodeJS.Timeout | null;
}
