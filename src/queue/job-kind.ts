import type { Lease } from '../db/lease.ts';
import { NotFoundError } from '../shared/errors.ts';
import type { Permission } from '../shared/permissions.ts';
import type { Requester } from '../shared/requester.ts';
import type { InputStorage, ParseStored } from './input-storage.ts';
import type { ItemVerdict, ItemWithErrors, JobStages, LeasedItem, NewJobRows, PostponedItem } from './job.ts';

/** Subjects of items: a site by the ID of its record, or anything else by an identifier that the kind defines. */
export interface ItemSubjects {
  site: number;
  other: string | number;
}
export type SubjectType = keyof ItemSubjects;

export interface NewItems {
  /** `identifier` is the site reference as the caller wrote it: an ID, domain or URL. */
  site: { siteId: number; identifier: string | number; stage?: number | undefined };
  other: { siteId?: undefined; identifier: string | number; stage?: number | undefined };
}

export interface NewJob<Input, Subject extends SubjectType = 'site'> {
  input: Input;
  items: readonly NewItems[Subject][];
  requestedBy: Requester;
  /** Earliest start of the items, in milliseconds since 1970. Default: immediately. */
  notBefore?: number | undefined;
  stages?: JobStages | undefined;
}

export interface Attempt {
  item: LeasedItem;
  /**
   * True if an earlier attempt was interrupted or postponed, so that its effect is unknown. A kind that changes
   * something must check the current state before it acts again.
   */
  resumed: boolean;
  /**
   * Aborts when the process stops, when it has lost the lease of the item, and for kinds with `whenCancelled: 'abort'`
   * when the job is canceled.
   */
  signal: AbortSignal;
  /** Lease of the item. A kind that changes something confirms it before each change. */
  lease: Lease;
}

export interface ItemCall<Input, Subject> extends Attempt {
  subject: Subject;
  input: Input;
}

export type BegunItem<Input, Subject> = Pick<ItemCall<Input, Subject>, 'item' | 'subject' | 'input'>;

export type ItemResult<Result> = Result | PostponedItem<Result> | ItemWithErrors<Result>;

/**
 * Effect of canceling a job on its running items. `abort` aborts their calls and cancels them. Use it for kinds that
 * only read or can be repeated safely. `finish` lets them end: an interrupted change would have an unknown outcome.
 */
export type CancelBehavior = 'abort' | 'finish';

/**
 * Effect of a retry on an item whose earlier job may have changed something. `look` runs the item as `resumed`, so that
 * it checks the current state first. `repeat` runs it as a new item. Use it for changes that a site cannot show and
 * that can be repeated safely.
 */
export type RetryBehavior = 'look' | 'repeat';

export interface JobKind<Input, Result, Subject extends SubjectType = 'site'> {
  readonly name: string;
  readonly about: Subject;
  readonly whenCancelled: CancelBehavior;
  readonly whenRetried: RetryBehavior;
  readonly retryPermission: Permission | null;
  readonly retryAlsoNeeds: (input: unknown) => Permission | null;
  readonly retriedInput: (input: unknown, jobId: string) => unknown;
  readonly keptForMs: number | undefined;
  readonly maxRunning: (() => number) | undefined;
  readonly checksLimits: boolean;
  rowsOf(job: NewJob<Input, Subject>): NewJobRows;
  resultOf(stored: unknown): Result;
  verdictOf(stored: unknown): ItemVerdict | null;
  readonly hasBegun: ((item: LeasedItem) => Promise<boolean>) | undefined;
  perform(attempt: Attempt): Promise<ItemResult<Result>>;
}

export type AnyJobKind = JobKind<never, unknown, SubjectType>;

export interface JobKindDefinition<Input, OfItem, Result, Subject extends SubjectType> {
  name: string;
  about: Subject;
  input: InputStorage<Input, OfItem>;
  /** Reads results that any release has stored. They are kept as long as their job. */
  result: ParseStored<Result>;
  whenCancelled: CancelBehavior;
  whenRetried?: RetryBehavior;
  /**
   * Permission of the calls that start such a job, which a retry needs too. Null if only the service starts it: then a
   * retry needs no permission of its own.
   */
  retryPermission: Permission | null;
  /** Returns a further permission that a retry needs because of the stored input. Default: null. */
  retryAlsoNeeds?: (input: unknown) => Permission | null;
  /** Returns the stored input for a retry of the job `jobId`. Default: the same input. */
  retriedInput?: (input: unknown, jobId: string) => unknown;
  keptForMs?: number;
  /** Returns the maximum number of running items over all jobs and processes. Default: no limit. */
  maxRunning?: () => number;
  /**
   * True if `perform` itself checks which sites the owner may use. By default, an item that is about no site fails if
   * its owner is limited to some sites.
   */
  checksLimits?: boolean;
  /** Judges a result. The judgement decides if the next stage of the job begins. Default: null. */
  verdictOf?: (result: Result) => ItemVerdict | null;
  /**
   * Returns true if an earlier attempt of the item has begun to change its subject. A later attempt then finishes the
   * change, even if the job was canceled or the owner has lost the site meanwhile. Without this function, such an item
   * ends as `unknown`.
   */
  hasBegun?: (of: BegunItem<OfItem, ItemSubjects[Subject]>) => Promise<boolean>;
  perform: (call: ItemCall<OfItem, ItemSubjects[Subject]>) => Promise<ItemResult<Result>>;
}

const SUBJECT_OF: { [Subject in SubjectType]: (item: LeasedItem) => ItemSubjects[Subject] } = {
  site: ({ siteId }) => {
    if (siteId === null) throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
    return siteId;
  },
  other: ({ identifier }) => identifier,
};

export function defineJobKind<Input, OfItem, Result, Subject extends SubjectType>({
  name,
  about,
  input,
  result,
  whenCancelled,
  whenRetried = 'look',
  retryPermission,
  retryAlsoNeeds = () => null,
  retriedInput = (stored) => stored,
  keptForMs,
  maxRunning: atOnce,
  checksLimits = false,
  verdictOf = () => null,
  hasBegun,
  perform,
}: JobKindDefinition<Input, OfItem, Result, Subject>): JobKind<Input, Result, Subject> {
  const partsOf = (item: LeasedItem) => ({
    subject: SUBJECT_OF[about](item),
    input: input.fromStored(item.input, item),
  });
  return {
    name,
    about,
    whenCancelled,
    whenRetried,
    retryPermission,
    retryAlsoNeeds,
    retriedInput,
    keptForMs,
    maxRunning: atOnce,
    checksLimits,
    rowsOf: ({ items, ...job }) => ({
      ...job,
      kind: name,
      input: input.toStored(job.input),
      items: items.map(({ siteId = null, identifier, stage }) => ({ siteId, identifier, stage })),
    }),
    resultOf: result,
    verdictOf: (stored) => verdictOf(result(stored)),
    hasBegun: hasBegun && (async (item) => hasBegun({ item, ...partsOf(item) })),
    perform: async (attempt) => perform({ ...attempt, ...partsOf(attempt.item) }),
  };
}
