import type { Fifo } from './fifo.ts';
import type { Load } from './limiter.ts';
import type { CallKind } from './limits.ts';

export interface ScheduledCall<T> {
  /** Null for a site without a record: then neither order nor breaker of a site apply. */
  siteId: number | null;
  /** The address that is dialled; calls to one address share its limit. */
  ipKey: string;
  kind: CallKind;
  /** Goes out although the site is being paused. */
  insists?: boolean;
  run: (signal?: AbortSignal) => Promise<T>;
  /** Gives up waiting, and is passed on to `run`. */
  signal?: AbortSignal;
}

/**
 * - `waiting`: in the line of its kind and address
 * - `held`: in the line of its site, which another call keeps busy
 * - `running`: under way
 * - `done`: answered, broken or given up; where it still stands in a line, it is passed over
 */
export type CallState = 'waiting' | 'held' | 'running' | 'done';

export type Outcome = { value: unknown } | { error: Error };

export interface QueuedCall {
  readonly call: ScheduledCall<unknown>;
  readonly line: Line;
  state: CallState;
  /** Its site is kept for it, from when it is the next of that site. */
  hasSite: boolean;
  /** No longer listens for the signal of whoever waits. */
  stopListening: () => void;
  settle: (outcome: Outcome) => void;
}

/**
 * Waiting calls of one kind to one address. A line is either in the ring of its kind, or parked at its address, or
 * empty.
 */
export interface Line {
  readonly kind: CallKind;
  readonly address: Address;
  readonly calls: Fifo<QueuedCall>;
  isPlaced: boolean;
}

/** An address with calls, or one that was called a moment ago. */
export interface Address extends Load {
  readonly key: string;
  readonly lines: Map<CallKind, Line>;
  /** Lines that wait until the address takes another call. */
  readonly parked: Line[];
  timer: NodeJS.Timeout | null;
}
