import type { ItemErrorCode } from '../shared/errors.ts';

export type JobState = 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled';
export type ItemState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface NewItemRow {
  siteId: number | null;
  identifier: string | number;
  stage?: number | undefined;
}

/** Stages of a job. A stage begins when the one before it has ended. */
export interface Stages {
  names: readonly string[];
  /** Number of flawed items (`JobKind.isFlawed`) after which no further item begins. */
  stopAfter: number;
}

export interface NewJobRows {
  kind: string;
  requestedBy: string;
  /** Input that all items share, in the form that its kind stores. Must be small. */
  input: unknown;
  items: readonly NewItemRow[];
  notBefore?: number | undefined;
  stages?: Stages | undefined;
}

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
  /** Result that an earlier attempt stored when it was postponed; null if there is none. */
  result: unknown;
  isOnlyItem: boolean;
  /** True if the end of this item may let further items of its job begin. */
  isStaged?: boolean;
  /** Returns true while the lease of the item cannot have expired. */
  isLeased: () => boolean;
}

/**
 * Returned by a kind for an item that must be continued later. Until `at` (milliseconds since 1970) the item has no
 * lease and uses no capacity. It survives the end of all processes, and callers see `result`.
 */
export class PostponedItem<Result = unknown> {
  readonly at: number;
  /**
   * Intermediate result; undefined if the item has not begun or has nothing to show. Such an item counts as not carried
   * out if its job is canceled.
   */
  readonly result: Result | undefined;

  constructor(at: number, result?: Result) {
    this.at = at;
    this.result = result;
  }
}

/**
 * Returned by a kind for an item that was carried out but produced only errors, which are in `result`. A job of several
 * items continues. A job with only this item fails with `reason`.
 */
export class ItemWithOnlyErrors<Result = unknown> {
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
