import type { Fifo } from './fifo.ts';
import type { CallLoad } from './call-limiter.ts';
import type { CallKind } from './connector-limits.ts';

export interface ScheduledCall<T> {
  /** Null for a site without a record. Its calls have no order and no circuit breaker. */
  siteId: number | null;
  ipKey: string;
  kind: CallKind;
  ignoresBreaker?: boolean;
  /** Runs when the turn begins. If it throws, the call is not sent, and the circuit breaker records no failure. */
  admit?: () => Promise<void>;
  run: (signal?: AbortSignal) => Promise<T>;
  signal?: AbortSignal;
}

/**
 * - `waiting`: in the `CallLine` of its kind and IP address
 * - `held`: in the queue of its site, which is busy with another call
 * - `running`: was sent and has not ended
 * - `done`: has ended or was aborted. It is skipped if it is still in a `CallLine`.
 */
export type QueuedCallState = 'waiting' | 'held' | 'running' | 'done';

export type CallSettlement = { value: unknown } | { error: Error };

export interface QueuedCall {
  readonly call: ScheduledCall<unknown>;
  readonly line: CallLine;
  state: QueuedCallState;
  /** True once the call is the next one of its site. The site is then reserved for this call. */
  hasSite: boolean;
  stopListening: () => void;
  settle: (outcome: CallSettlement) => void;
}

/**
 * Waiting calls of one kind to one IP address. The lines of a kind take turns in `#rings` of the scheduler. While its
 * address is at its limit, a line is in `parked` instead. An empty line is in neither.
 */
export interface CallLine {
  readonly kind: CallKind;
  readonly address: AddressCalls;
  readonly calls: Fifo<QueuedCall>;
  /** True if the line is in `#rings` or in `parked`. */
  isPlaced: boolean;
}

export interface AddressCalls extends CallLoad {
  readonly key: string;
  readonly lines: Map<CallKind, CallLine>;
  readonly parked: CallLine[];
  timer: NodeJS.Timeout | null;
}
