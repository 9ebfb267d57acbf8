import type { ItemErrorCode } from '../shared/errors.ts';

export type JobState = 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled';
export type ItemState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** An item as its row begins. */
export interface NewItemRow {
  siteId: number | null;
  identifier: string | number;
  /** Of the stages of its job, counted from 0. */
  stage?: number | undefined;
}

/** Items that begin one stage after the other. */
export interface Stages {
  names: readonly string[];
  /** So many items that are flawed, and nothing more begins. */
  stopAfter: number;
}

/** A job as its rows begin. */
export interface NewJobRows {
  kind: string;
  requestedBy: string;
  /** What all items share, as their kind keeps it; small. */
  input: unknown;
  items: readonly NewItemRow[];
  /** When its items may begin, in milliseconds since 1970; at once, unless given. */
  notBefore?: number | undefined;
  /** Without them all items may begin at once. */
  stages?: Stages | undefined;
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
  /** What an earlier attempt had come to when it was postponed; null where there is nothing. */
  result: unknown;
  /** Whether its job has no other item. */
  alone: boolean;
  /** Whether its end may let further items of its job begin. */
  staged?: boolean;
}

/**
 * What a kind answers for an item that has to be taken up again later. Until `at` it holds neither a lease nor a place
 * in any process, survives them all, and shows `result`.
 */
export class Postponed<Result = unknown> {
  readonly at: number;
  /** What it has come to; undefined while it has not begun, or has nothing to show: cancelled, it was not done. */
  readonly result: Result | undefined;

  constructor(at: number, result?: Result) {
    this.at = at;
    this.result = result;
  }
}

/**
 * What a kind answers for an item that it carried out and that came to nothing but errors, which stand in `result`. The
 * job of several items goes on to the next; one that has no other has failed, for the reason that is given.
 */
export class NothingButErrors<Result = unknown> {
  readonly result: Result;
  readonly reason: { code: ItemErrorCode; message: string };

  constructor(result: Result, { code, message }: { code: ItemErrorCode; message: string }) {
    this.result = result;
    this.reason = { code, message };
  }
}

export type ItemOutcome =
  | { state: 'succeeded'; result: unknown; flawed?: boolean }
  | { state: 'waiting'; at: number; result?: unknown }
  | { state: 'failed' | 'cancelled'; code: ItemErrorCode; message: string; result?: unknown; flawed?: boolean };

export interface FinishedItem {
  item: LeasedItem;
  outcome: ItemOutcome;
}
