import { Postponed, type ItemHandler } from '../../queue/index.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { FleetRunner } from './fleet-runner.ts';

/** How long after a call that broke its site is looked at again: PHP goes on behind a gateway that gave up. */
export const LOOK_AGAIN_AFTER_MS: readonly number[] = [15 * SECOND, 60 * SECOND];

/** The kind of the jobs that look. */
export const VERIFY = 'verify';

export interface LookCall<Input> {
  siteId: number;
  /** Who asked for the change. */
  actor: string;
  jobId: string;
  /** What was sent, and what there was before. */
  change: Input;
}

export interface Looked<Result> {
  /** What is known now, as the callers of the change read it. */
  result: Result & Record<string, unknown>;
  /** Nothing is open any more. */
  settled: boolean;
}

/** Looks at a site whose answer to a change was lost, and records what came of the change. */
export type Look<Input, Result> = (call: LookCall<Input>) => Promise<Looked<Result>>;

interface JobInput {
  /** Which `Look` it is for. */
  of: string;
  /** When the call broke. */
  since: number;
  change: unknown;
}

/** What a later look came to; without a result the job that looks goes on. */
export interface Followed<Result> {
  result: Result | null;
  jobId?: string;
}

/**
 * Second and third looks at a site that may still be at work on a change whose call broke. They are an item of a job,
 * so that neither a killed process nor a caller who hangs up ends them; between two looks the item holds nothing.
 */
export class LaterLooks {
  readonly #runner: Pick<FleetRunner, 'wait'>;
  readonly #clock: Clock;
  readonly #waitsMs: readonly number[];
  readonly #looks = new Map<string, Look<unknown, unknown>>();

  constructor(parts: { runner: Pick<FleetRunner, 'wait'>; clock: Clock; waitsMs?: readonly number[] | undefined }) {
    this.#runner = parts.runner;
    this.#clock = parts.clock;
    this.#waitsMs = parts.waitsMs ?? LOOK_AGAIN_AFTER_MS;
  }

  handle<Input, Result>(of: string, look: Look<Input, Result>): void {
    this.#looks.set(of, look as Look<unknown, unknown>);
  }

  /** When the next look is due at what was sent at `since`; null when it was the last. */
  next(since: number): number | null {
    const now = this.#clock.now();
    return this.#waitsMs.map((wait) => since + wait).find((at) => at > now) ?? null;
  }

  /** Looks until the outcome is known or the last look is over; waits for it as long as callers wait for jobs. */
  async follow<Result>(
    of: string,
    change: unknown,
    site: { id: number; url: string },
    requestedBy: string,
  ): Promise<Followed<Result>> {
    const since = this.#clock.now();
    const notBefore = this.next(since);
    if (notBefore === null) return { result: null };
    const input: JobInput = { of, since, change };
    const sites = [{ identifier: site.id, site }];
    const call = { kind: VERIFY, input, sites, errors: [], requestedBy, notBefore };
    const { results, errors } = await this.#runner.wait<Result>(call);
    const jobId = errors[0]?.job_id;
    return { result: results[0] ?? null, ...(jobId === undefined ? {} : { jobId }) };
  }

  /** The handler of the jobs. */
  readonly job: ItemHandler = async ({ item }) => {
    const { of, since, change } = item.input as JobInput;
    const look = this.#looks.get(of);
    if (!look) throw new Error(`Nobody looks at ${of}.`);
    if (item.siteId === null) throw new NotFoundError('svc_site_not_found', 'No site goes by this reference.');
    const { siteId, jobId, requestedBy: actor } = item;
    const { result, settled } = await look({ siteId, actor, jobId, change });
    const next = settled ? null : this.next(since);
    return next === null ? result : new Postponed(next, result);
  };
}
