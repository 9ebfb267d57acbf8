import type { ItemErrorCode } from '../shared/error-codes.ts';
import type { CredentialOwner, Requester } from '../shared/requester.ts';

export type JobState = 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled';

export const END_STATES = ['succeeded', 'partial', 'failed', 'unknown', 'not_begun'] as const;
export type EndState = (typeof END_STATES)[number];
export type ItemState = 'waiting' | 'running' | EndState;
export type ItemCounts = Record<EndState, number>;

export interface ItemFault {
  code: ItemErrorCode;
  message: string;
}

export interface NewItemRow {
  siteId: number | null;
  identifier: string | number;
  stage?: number | undefined;
  /** True if an earlier job may have changed the subject. The item then runs as one that was interrupted. */
  resumed?: boolean;
}

/** Items of a job that has too many to be in memory at once. */
export interface ItemPages {
  total: number;
  firstStage: number;
  pages: AsyncIterable<readonly NewItemRow[]>;
}

/**
 * Judgement of a result for the stage of its item. `proven`: the result proves that the change works. `flawed`: the
 * change did harm. `idle`: the item had nothing to do.
 */
export type ItemVerdict = 'proven' | 'flawed' | 'idle';

/**
 * Stages of a job. A stage begins when the one before it has ended with at least one `proven` item, or with only `idle`
 * items.
 */
export interface JobStages {
  names: readonly string[];
  /** Number of flawed items in all stages after which no further item begins. */
  stopAfter: number;
  /**
   * Number of failed and unknown items after which no further item begins: `count` in all stages, or `percent` of the
   * items of one stage that had something to do. Missing in jobs of releases before 0.2.
   */
  stopAfterMissed?: { count: number } | { percent: number };
  /** Number of unknown items of a stage after which no further item begins. Missing if they do not stop the job. */
  stopAfterUnknown?: number;
}

/** Reason why a stage stopped its job. `unproven`: nothing was proven in it, although `count` items had work. */
export interface StageStop {
  why: 'flawed' | 'missed' | 'unknown' | 'unproven';
  count: number;
  limit: number;
}

export interface NewJobRows {
  kind: string;
  requestedBy: Requester;
  /** Input that all items share, in the stored format of the kind. Must be small, because each claim reads it again. */
  input: unknown;
  items: readonly NewItemRow[] | ItemPages;
  notBefore?: number | undefined;
  stages?: JobStages | undefined;
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
  /** User or API key that requested the job. The item must be within its limits. Null if no limits apply. */
  owner: CredentialOwner | null;
  /** Result that an earlier attempt stored when it postponed the item; null if there is none. */
  result: unknown;
  isOnlyItem: boolean;
  /** True if the job has stages, so that the end of this item can begin the next stage. */
  isStaged?: boolean;
  /** True if the job has been canceled. The item is then only finished if an earlier attempt has begun. */
  isCancelled?: boolean;
  isLeased: () => boolean;
}

/**
 * Returned by a kind for an item that must be continued later. Until `at` (milliseconds since 1970) the item has no
 * lease and uses no capacity. It survives the end of all processes, and callers see `result`.
 */
export class PostponedItem<Result = unknown> {
  readonly at: number;
  /**
   * Intermediate result; undefined if the item has not begun or has nothing to show. If the job is canceled, an item
   * without one counts as not begun. An item with one ends with it, unless its kind has `hasBegun` and so finishes it.
   */
  readonly result: Result | ItemWithErrors<Result> | undefined;

  constructor(at: number, result?: Result | ItemWithErrors<Result>) {
    this.at = at;
    this.result = result;
  }
}

/**
 * Returned by a kind for an item with errors, which are in `result`. With `partly`, something went well too. Without
 * `partly`, the item has failed, or its outcome is unknown if the code is `svc_outcome_unknown`.
 */
export class ItemWithErrors<Result = unknown> {
  readonly result: Result;
  readonly fault: ItemFault;
  readonly state: 'partial' | 'failed' | 'unknown';

  constructor(result: Result, { code, message }: ItemFault, { partly = false }: { partly?: boolean } = {}) {
    this.result = result;
    this.fault = { code, message };
    this.state = partly ? 'partial' : stateOfFault(code);
  }
}

export const stateOfFault = (code: ItemErrorCode): 'failed' | 'unknown' =>
  code === 'svc_outcome_unknown' ? 'unknown' : 'failed';

/** Returns the result of an item that makes several changes. `done` is the number of changes that took effect. */
export function resultWithErrors<Result>(
  result: Result,
  done: number,
  errors: readonly ItemFault[],
): Result | ItemWithErrors<Result> {
  const fault = errors.find(({ code }) => done === 0 && stateOfFault(code) === 'unknown') ?? errors[0];
  return fault ? new ItemWithErrors(result, fault, { partly: done > 0 }) : result;
}

export type EndOutcome =
  | { state: 'succeeded'; result: unknown; fault?: null; verdict?: ItemVerdict | null }
  | { state: Exclude<EndState, 'succeeded'>; result?: unknown; fault: ItemFault; verdict?: ItemVerdict | null };

/**
 * Outcome of an attempt. A postponed item is `waiting`, and `end` is its outcome if its job is canceled; null if it has
 * no result yet.
 */
export type ItemOutcome = EndOutcome | { state: 'waiting'; at: number; end: EndOutcome | null };

export interface FinishedItem {
  item: LeasedItem;
  outcome: ItemOutcome;
}
