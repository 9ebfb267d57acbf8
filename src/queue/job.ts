import type { ItemErrorCode } from '../shared/errors.ts';

export const JOB_STATES = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export const ITEM_STATES = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

export interface NewItem {
  siteId: number | null;
  /** The site as the caller named it: an ID, or a domain or URL as it was written. */
  identifier: string | number;
}

export interface NewJob {
  kind: string;
  requestedBy: string;
  /** What all items share; small. */
  input: unknown;
  items: NewItem[];
  /** When its items may begin, in milliseconds since 1970; at once, unless given. */
  notBefore?: number | undefined;
}

/** An item that this process holds the lease of. */
export interface LeasedItem {
  id: number;
  jobId: string;
  kind: string;
  position: number;
  siteId: number | null;
  identifier: string | number;
  attempt: number;
  input: unknown;
  requestedBy: string;
  /** What an earlier attempt had come to when it was postponed; null for any other. */
  result: unknown;
  /** Whether its job has no other item. */
  alone: boolean;
}

/**
 * What a handler returns for an item that has to be taken up again later. Until `at` it holds neither a lease nor a
 * place in any process, survives them all, and shows `result`.
 */
export class Postponed {
  readonly at: number;
  readonly result: Record<string, unknown>;

  constructor(at: number, result: Record<string, unknown>) {
    this.at = at;
    this.result = result;
  }
}

/**
 * What a handler returns for an item that it carried out and that came to nothing but errors, which stand in `result`.
 * The job of several items goes on to the next; one that has no other has failed, for the reason that is given.
 */
export class NothingButErrors {
  readonly result: unknown;
  readonly reason: { code: ItemErrorCode; message: string };

  constructor(result: unknown, { code, message }: { code: ItemErrorCode; message: string }) {
    this.result = result;
    this.reason = { code, message };
  }
}

export interface ItemCall {
  item: LeasedItem;
  /**
   * True when an earlier attempt was interrupted or postponed: what it did is unknown. A handler that changes something
   * must look before it acts again.
   */
  resumed: boolean;
  signal: AbortSignal;
}

/**
 * Does one item of a kind of job. What it throws becomes the item's error; what it returns, its result, unless it is
 * `Postponed` or `NothingButErrors`.
 */
export type ItemHandler = (call: ItemCall) => Promise<unknown>;

export type ItemOutcome =
  | { state: 'succeeded'; result: unknown }
  | { state: 'waiting'; at: number; result: unknown }
  | { state: 'failed' | 'cancelled'; code: ItemErrorCode; message: string; result?: unknown };

export interface FinishedItem {
  item: LeasedItem;
  outcome: ItemOutcome;
}
