import {
  asWritten,
  jobKind,
  plainInput,
  Postponed,
  type JobKind,
  type LeasedItem,
  type Reading,
} from '../../queue/index.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import type { FleetRunner } from './fleet-runner.ts';

/** How long after a call that broke its site is looked at again: PHP goes on behind a gateway that gave up. */
const LOOK_AGAIN_AFTER_MS: readonly number[] = [15 * SECOND, 60 * SECOND];

export interface LookCall<Change> {
  siteId: number;
  /** Who asked for the change. */
  actor: string;
  jobId: string;
  /** What was sent, and what there was before. */
  change: Change;
}

export interface Looked<Result> {
  /** What is known now, as the callers of the change read it. */
  result: Result;
  /** Nothing is open any more. */
  settled: boolean;
}

/** Looks at a site whose answer to a change was lost, and records what came of the change. */
export interface Look<Change, Result> {
  /** As the rows of its jobs name it. */
  of: string;
  result: Reading<Result>;
  look: (call: LookCall<Change>) => Promise<Looked<Result>>;
}

/** What a later look came to; without a result the job that looks goes on. */
export interface Followed<Result> {
  result: Result | null;
  jobId?: string;
}

/** Looks until the outcome is known or the last look is over; waits for it as long as callers wait for jobs. */
export type Follow<Change, Result> = (
  change: Change,
  site: { id: number; url: string },
  requestedBy: string,
) => Promise<Followed<Result>>;

/** What all items of a job that looks share. */
interface LookInput {
  of: string;
  /** When the call broke. */
  since: number;
  change: unknown;
}

/**
 * Second and third looks at a site that may still be at work on a change whose call broke. They are an item of a job,
 * so that neither a killed process nor a caller who hangs up ends them; between two looks the item holds nothing.
 */
export class LaterLooks {
  readonly #runner: Pick<FleetRunner, 'wait'>;
  readonly #clock: Clock;
  readonly #waitsMs: readonly number[];
  readonly #looks = new Map<string, (call: LookCall<unknown>) => Promise<Looked<unknown>>>();

  constructor(parts: { runner: Pick<FleetRunner, 'wait'>; clock: Clock; waitsMs?: readonly number[] | undefined }) {
    this.#runner = parts.runner;
    this.#clock = parts.clock;
    this.#waitsMs = parts.waitsMs ?? LOOK_AGAIN_AFTER_MS;
  }

  /** Takes up what can be looked for; what it answers has changes of this sort followed. */
  add<Change, Result>({ of, result: resultOf, look }: Look<Change, Result>): Follow<Change, Result> {
    const changeOf = asWritten<Change>();
    this.#looks.set(of, (call) => look({ ...call, change: changeOf(call.change) }));
    return async (change, site, requestedBy) => {
      const since = this.#clock.now();
      const notBefore = this.next(since);
      if (notBefore === null) return { result: null };
      const sites = [{ identifier: site.id, site }];
      const call = { input: { of, since, change }, sites, errors: [], requestedBy, notBefore };
      const { results, errors } = await this.#runner.wait(this.verify, call);
      const jobId = errors[0]?.job_id;
      return { result: results.length > 0 ? resultOf(results[0]) : null, ...(jobId === undefined ? {} : { jobId }) };
    };
  }

  /** When the next look is due at what was sent at `since`; null when it was the last. */
  next(since: number): number | null {
    const now = this.#clock.now();
    return this.#waitsMs.map((wait) => since + wait).find((at) => at > now) ?? null;
  }

  /** The kind of the jobs that look; each look reads its own results. */
  readonly verify: JobKind<LookInput, unknown> = jobKind({
    name: 'verify',
    about: 'site',
    input: plainInput<LookInput>(),
    result: (stored) => stored,
    // It only reads, and yet is not cut off: what it records, nobody else would.
    whenCancelled: 'finish',
    perform: ({ subject, item, input }) => this.#look(subject, item, input),
  });

  async #look(siteId: number, item: LeasedItem, { of, since, change }: LookInput): Promise<unknown> {
    const look = this.#looks.get(of);
    if (!look) throw new Error(`Nobody looks at ${of}.`);
    const { result, settled } = await look({ siteId, actor: item.requestedBy, jobId: item.jobId, change });
    const next = settled ? null : this.next(since);
    return next === null ? result : new Postponed(next, result);
  }
}
