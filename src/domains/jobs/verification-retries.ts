import {
  createUnvalidatedParser,
  defineJobKind,
  plainInput,
  PostponedItem,
  type ItemWithErrors,
  type JobKind,
  type LeasedItem,
  type ParseStored,
} from '../../queue/index.ts';
import { MINUTE, SECOND, type Clock } from '../../shared/clock.ts';
import type { FleetRunner } from './fleet-runner.ts';
import { unlimitedRequester } from '../../shared/requester.ts';

/** Delays between a failed call and the checks of its site. PHP continues to run after a gateway has timed out. */
const RETRY_DELAYS_MS: readonly number[] = [15 * SECOND, 60 * SECOND];
/**
 * Delay between the failed call and a third check, which `isPatient` adds: a site whose update was cut off can be in
 * maintenance mode for ten minutes.
 */
const AFTER_MAINTENANCE_MS = 11 * MINUTE;

export interface VerificationCall<Change> {
  siteId: number;
  actor: string;
  jobId: string;
  change: Change;
}

export interface VerificationAttemptResult<Result> {
  result: Result;
  settled: boolean;
}

export interface VerificationDefinition<Change, Result> {
  /** This name is stored in jobs. */
  changeType: string;
  result: ParseStored<Result>;
  verify: (call: VerificationCall<Change>) => Promise<VerificationAttemptResult<Result>>;
  ended: (result: Result) => Result | ItemWithErrors<Result>;
}

/** Outcome of a verification. While its job still checks the site, `jobId` is set and `result` is null. */
export interface VerificationOutcome<Result> {
  result: Result | null;
  jobId?: string;
}

/**
 * Starts checks of the site, which continue until the outcome is known or the last check has ended. Waits for them, but
 * no longer than callers wait for other jobs.
 */
export type StartVerification<Change, Result> = (
  change: Change,
  site: { id: number; url: string },
  requestedBy: string,
) => Promise<VerificationOutcome<Result>>;

interface VerificationInput {
  of: string;
  /** Time at which the call failed, in milliseconds since 1970. */
  since: number;
  change: unknown;
}

/**
 * Checks a site again, up to two times (three with `isPatient`), if it may still be working on a change after the call
 * failed. The checks are an item of a job, so they continue after a crash of the process or a disconnect of the client.
 * The item uses no worker between the checks.
 */
export class VerificationRetries {
  readonly #runner: Pick<FleetRunner, 'wait'>;
  readonly #clock: Clock;
  readonly #waitsMs: readonly number[];
  readonly #patientWaitsMs: readonly number[];
  readonly #verifications = new Map<
    string,
    (call: VerificationCall<unknown>) => Promise<VerificationAttemptResult<unknown>>
  >();

  constructor(deps: { runner: Pick<FleetRunner, 'wait'>; clock: Clock; waitsMs?: readonly number[] | undefined }) {
    this.#runner = deps.runner;
    this.#clock = deps.clock;
    this.#waitsMs = deps.waitsMs ?? RETRY_DELAYS_MS;
    this.#patientWaitsMs = deps.waitsMs ?? [...RETRY_DELAYS_MS, AFTER_MAINTENANCE_MS];
  }

  register<Change, Result>({
    changeType: of,
    result: resultOf,
    verify: look,
    ended,
  }: VerificationDefinition<Change, Result>): StartVerification<Change, Result> {
    const changeOf = createUnvalidatedParser<Change>();
    this.#verifications.set(of, async (call) => {
      const { result, settled } = await look({ ...call, change: changeOf(call.change) });
      return { result: ended(result), settled };
    });
    return async (change, site, requestedBy) => {
      const since = this.#clock.now();
      const notBefore = this.next(since);
      if (notBefore === null) return { result: null };
      const sites = [{ identifier: site.id, site }];
      const call = {
        input: { of, since, change },
        sites,
        errors: [],
        requestedBy: unlimitedRequester(requestedBy),
        notBefore,
      };
      const { results, errors } = await this.#runner.wait(this.verify, call);
      const jobId = errors[0]?.job_id;
      return { result: results.length > 0 ? resultOf(results[0]) : null, ...(jobId === undefined ? {} : { jobId }) };
    };
  }

  /**
   * Returns the time of the next check, or null after the last one. With `isPatient`, the last check is after the
   * maintenance mode.
   */
  next(since: number, { isPatient = false } = {}): number | null {
    const now = this.#clock.now();
    const waitsMs = isPatient ? this.#patientWaitsMs : this.#waitsMs;
    return waitsMs.map((wait) => since + wait).find((at) => at > now) ?? null;
  }

  readonly verify: JobKind<VerificationInput, unknown> = defineJobKind({
    name: 'verify',
    about: 'site',
    input: plainInput<VerificationInput>(),
    result: (stored) => stored,
    // The job only reads, but it is not aborted, because nothing else would record the result.
    whenCancelled: 'finish',
    retryPermission: null,
    perform: ({ subject, item, input }) => this.#perform(subject, item, input),
  });

  async #perform(siteId: number, item: LeasedItem, { of, since, change }: VerificationInput): Promise<unknown> {
    const look = this.#verifications.get(of);
    if (!look) throw new Error(`There is no verification for ${of}.`);
    const { result, settled } = await look({ siteId, actor: item.requestedBy, jobId: item.jobId, change });
    const next = settled ? null : this.next(since);
    return next === null ? result : new PostponedItem(next, result);
  }
}
