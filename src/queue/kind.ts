import { NotFoundError } from '../shared/errors.ts';
import type { KeptInput, Reading } from './input.ts';
import type { LeasedItem, NewJobRows, NothingButErrors, Postponed, Stages } from './job.ts';

/** What items can be about: a site, by the ID of its record, or anything else, by the name that its kind gave it. */
export interface Subjects {
  site: number;
  other: string | number;
}
export type SubjectType = keyof Subjects;

/** An item of a job that is to be queued. */
export interface NewItems {
  /** `identifier` is the site as the caller named it: an ID, or a domain or URL as it was written. */
  site: { siteId: number; identifier: string | number; stage?: number | undefined };
  other: { siteId?: undefined; identifier: string | number; stage?: number | undefined };
}

/** A job that is to be queued. */
export interface NewJob<Input, Subject extends SubjectType = 'site'> {
  input: Input;
  items: readonly NewItems[Subject][];
  requestedBy: string;
  /** When its items may begin, in milliseconds since 1970; at once, unless given. */
  notBefore?: number | undefined;
  stages?: Stages | undefined;
}

/** One attempt at an item. */
export interface Attempt {
  item: LeasedItem;
  /**
   * True when an earlier attempt was interrupted or postponed: what it did is unknown. A kind that changes something
   * must look before it acts again.
   */
  resumed: boolean;
  /** Ends with the process, and of a kind that says so with its job. */
  signal: AbortSignal;
}

export interface ItemCall<Input, Subject> extends Attempt {
  subject: Subject;
  input: Input;
}

export type ItemAnswer<Result> = Result | Postponed<Result> | NothingButErrors<Result>;

/**
 * What becomes of an item that is under way when its job is cancelled. `abort`: its calls are ended, and it is
 * cancelled; for kinds that only read, or do the same the second time. `finish`: it ends as it would; a change that
 * was sent is not cut off, because nobody could tell what came of it.
 */
export type WhenCancelled = 'abort' | 'finish';

/** A kind of job; whoever runs one names it, and has its result. */
export interface JobKind<Input, Result, Subject extends SubjectType = 'site'> {
  readonly name: string;
  readonly about: Subject;
  readonly whenCancelled: WhenCancelled;
  /** How long its jobs are kept once they have ended; as long as any other, unless given. */
  readonly keptForMs: number | undefined;
  /** How many of its items are under way at a time, over all jobs and processes; no limit, unless given. */
  readonly atOnce: (() => number) | undefined;
  /** A job of this kind as its rows begin. */
  rowsOf(job: NewJob<Input, Subject>): NewJobRows;
  /** The result of an item as its row has it. */
  resultOf(stored: unknown): Result;
  /** Whether an item was done and yet counts against its stage. */
  isFlawed(stored: unknown): boolean;
  /** Does one item. What it throws becomes the item's error. */
  perform(attempt: Attempt): Promise<ItemAnswer<Result>>;
}

/** Any kind, as the queue does its items. */
export type AnyJobKind = JobKind<never, unknown, SubjectType>;

export interface JobKindDefinition<Input, OfItem, Result, Subject extends SubjectType> {
  /** As callers read it. */
  name: string;
  about: Subject;
  input: KeptInput<Input, OfItem>;
  /** Reads the results that any release has stored: they are kept for as long as their job. */
  result: Reading<Result>;
  whenCancelled: WhenCancelled;
  keptForMs?: number;
  /** How many items are under way at a time, over all jobs and processes; no limit, unless given. */
  atOnce?: () => number;
  /** Whether a result counts against the stage of its item; none does, unless given. */
  isFlawed?: (result: Result) => boolean;
  perform: (call: ItemCall<OfItem, Subjects[Subject]>) => Promise<ItemAnswer<Result>>;
}

const SUBJECT_OF: { [Subject in SubjectType]: (item: LeasedItem) => Subjects[Subject] } = {
  site: ({ siteId }) => {
    if (siteId === null) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    return siteId;
  },
  other: ({ identifier }) => identifier,
};

export function jobKind<Input, OfItem, Result, Subject extends SubjectType>({
  name,
  about,
  input,
  result,
  whenCancelled,
  keptForMs,
  atOnce,
  isFlawed = () => false,
  perform,
}: JobKindDefinition<Input, OfItem, Result, Subject>): JobKind<Input, Result, Subject> {
  return {
    name,
    about,
    whenCancelled,
    keptForMs,
    atOnce,
    rowsOf: ({ items, ...job }) => ({
      ...job,
      kind: name,
      input: input.keep(job.input),
      items: items.map(({ siteId = null, identifier, stage }) => ({ siteId, identifier, stage })),
    }),
    resultOf: result,
    isFlawed: (stored) => isFlawed(result(stored)),
    perform: async (attempt) => {
      const { item } = attempt;
      return perform({ ...attempt, subject: SUBJECT_OF[about](item), input: input.open(item.input, item) });
    },
  };
}
