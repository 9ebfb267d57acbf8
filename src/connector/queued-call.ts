import type { Fifo } from './fifo.ts';
import type { Load } from './limiter.ts';
import type { CallKind } from './limits.ts';

export interface ScheduledCall<T> {
  /** Null for a site without a record. Its calls have no order and no circuit breaker. */
  siteId: number | null;
  ipKey: string;
  kind: CallKind;
  ignoresBreaker?: boolean;
  run: (signal?: AbortSignal) => Promise<T>;
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
  /** True once the call is the next one of its site, which is then reserved for it. */
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

export interface Address extends Load {
  readonly key: string;
  readonly lines: Map<CallKind, Line>;
  readonly parked: Line[];
  timer: NodeJS.Timeout | null;
}
