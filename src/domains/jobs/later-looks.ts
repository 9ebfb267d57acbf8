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

/** Delays after a failed call at which its site is checked. PHP continues to run after a gateway has timed out. */
const LOOK_AGAIN_AFTER_MS: readonly number[] = [15 * SECOND, 60 * SECOND];

export interface LookCall<Change> {
  siteId: number;
  actor: string;
  jobId: string;
  /** The change that was sent, and the state before it. */
  change: Change;
}

export interface Looked<Result> {
  /** The current result, in the form that callers of the change receive. */
  result: Result;
  /** True if nothing is left to check. */
  settled: boolean;
}

/** Checks a site whose response to a change was lost, and records the result of the change. */
export interface Look<Change, Result> {
  /** Name of the type of change. It is stored in the jobs. */
  of: string;
  result: Reading<Result>;
  look: (call: LookCall<Change>) => Promise<Looked<Result>>;
}

/** Result of the checks. Without a result, the job is still checking. */
export interface Followed<Result> {
  result: Result | null;
  jobId?: string;
}

/** Checks until the outcome is known or the last check is over. Waits no longer than callers wait for other jobs. */
export type Follow<Change, Result> = (
  change: Change,
  site: { id: number; url: string },
  requestedBy: string,
) => Promise<Followed<Result>>;

interface LookInput {
  of: string;
  /** Time at which the call failed, in milliseconds since 1970. */
  since: number;
  change: unknown;
}

/**
 * Checks a site again, up to two times, if it may still be working on a change after the call failed. The checks are an
 * item of a job, so they continue after a crash of the process or a disconnect of the client. The item uses no worker
 * between the checks.
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

  /** Registers a check for a type of change. Returns a function that starts the checks of one change. */
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

  /** Returns the time of the next check of a change that was sent at `since`, or null after the last check. */
  next(since: number): number | null {
    const now = this.#clock.now();
    return this.#waitsMs.map((wait) => since + wait).find((at) => at > now) ?? null;
  }

  /** Job kind of all checks. Each check reads its own results. */
  readonly verify: JobKind<LookInput, unknown> = jobKind({
    name: 'verify',
    about: 'site',
    input: plainInput<LookInput>(),
    result: (stored) => stored,
    // The job only reads, but it is not aborted, because nothing else would record the result.
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
