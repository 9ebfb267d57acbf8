import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { JobKind, NewJob, Queue, Stages } from '../../queue/index.ts';
import { ConflictError, type ItemError } from '../../shared/errors.ts';
import type { JobReadModel } from './job-read-model.ts';

/** Calls over more sites than this answer at once, and the work goes on in the background. */
const QUEUE_THRESHOLD = 200;

/** A site of a call, with the name by which the caller called it. */
export interface FleetSite {
  identifier: string | number;
  site: { id: number; url: string };
  /** Of the stages of the call. */
  stage?: number;
}

export interface FleetCall<Input> {
  input: Input;
  sites: readonly FleetSite[];
  /** References that led nowhere; they join the errors of the call. */
  errors: readonly ItemError[];
  requestedBy: string;
  /** When its items may begin, in milliseconds since 1970; at once, unless given. */
  notBefore?: number;
  /** The sites begin one stage after the other. */
  stages?: Stages;
}

/** A job of several sites, by what its caller is told of it. */
export interface StartedRun {
  jobId: string;
  sites: number;
}

/** Another job, which does already what a call asks for. */
export interface OtherRun {
  underWay: StartedRun;
}

/**
 * Looks at the jobs that there are, in the transaction that records a further one. Null lets this one begin; what it
 * throws does not.
 */
export type RunGuard = (trx: Knex) => Promise<StartedRun | null>;

/** What came of a call that was waited for. */
export interface FleetOutcome<Result> {
  results: Result[];
  errors: ItemError[];
}

export type FleetResult<Result> =
  | { queued: true; jobId: string; sitesQueued: number; errors: ItemError[] }
  | ({ queued: false } & FleetOutcome<Result>);

export interface FleetRunnerParts {
  knex: Knex;
  queue: Queue;
  jobs: JobReadModel;
  inlineDeadlineMs: number;
}

/**
 * Runs one operation over several sites as a job. Up to the threshold the caller waits for it, at most until the
 * deadline; sites that are not done by then stand in `errors`, and the job goes on. A caller that hangs up stops
 * nothing.
 */
export class FleetRunner {
  readonly #parts: FleetRunnerParts;

  constructor(parts: FleetRunnerParts) {
    this.#parts = parts;
  }

  async run<Input, Result>(kind: JobKind<Input, Result>, call: FleetCall<Input>): Promise<FleetResult<Result>> {
    if (call.sites.length === 0) return { queued: false, ...ofNoSite(call) };
    return this.#resultOf(kind, call, await this.#record(kind, call, wayOf(call)));
  }

  /** The same, unless a job does it already. */
  async runUnless<Input, Result>(
    guard: RunGuard,
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
  ): Promise<FleetResult<Result> | OtherRun> {
    if (call.sites.length === 0) return { queued: false, ...ofNoSite(call) };
    const recorded = await this.#recordUnless(guard, kind, call, wayOf(call));
    return 'underWay' in recorded ? recorded : this.#resultOf(kind, call, recorded.jobId);
  }

  /** The same for calls that nobody waits for; the job's id. */
  start<Input>(kind: JobKind<Input, unknown>, call: FleetCall<Input>): Promise<string> {
    return this.#record(kind, call, 'enqueue');
  }

  /** The same, unless a job does it already. */
  startUnless<Input>(
    guard: RunGuard,
    kind: JobKind<Input, unknown>,
    call: FleetCall<Input>,
  ): Promise<{ jobId: string } | OtherRun> {
    return this.#recordUnless(guard, kind, call, 'enqueue');
  }

  /** The same for calls that are waited for however many sites they have. */
  async wait<Input, Result>(kind: JobKind<Input, Result>, call: FleetCall<Input>): Promise<FleetOutcome<Result>> {
    if (call.sites.length === 0) return ofNoSite(call);
    return this.#waitFor(kind, call, await this.#record(kind, call, beginningOf(call)));
  }

  async #resultOf<Input, Result>(
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
    jobId: string,
  ): Promise<FleetResult<Result>> {
    if (isLarge(call)) return queuedRun(jobId, call);
    return { queued: false, ...(await this.#waitFor(kind, call, jobId)) };
  }

  async #waitFor<Input, Result>(
    kind: JobKind<Input, Result>,
    { sites, errors }: FleetCall<Input>,
    jobId: string,
  ): Promise<FleetOutcome<Result>> {
    await this.#parts.queue.waitFor(jobId, this.#parts.inlineDeadlineMs);
    return this.#collect(kind, jobId, sites, errors);
  }

  #record<Input>(kind: JobKind<Input, unknown>, call: FleetCall<Input>, way: Way): Promise<string> {
    return inTransaction(this.#parts.knex, (scope) => this.#parts.queue[way](scope, kind, jobOf(call)));
  }

  #recordUnless<Input>(
    guard: RunGuard,
    kind: JobKind<Input, unknown>,
    call: FleetCall<Input>,
    way: Way,
  ): Promise<{ jobId: string } | OtherRun> {
    return inTransaction(this.#parts.knex, async (scope) => {
      const underWay = await guard(scope.trx);
      if (underWay) return { underWay };
      return { jobId: await this.#parts.queue[way](scope, kind, jobOf(call)) };
    });
  }

  /** Null when there is no such job, false when it had finished already. */
  cancel(jobId: string): Promise<boolean | null> {
    return this.#parts.queue.cancel(jobId);
  }

  /** Queues the items of a finished job again that failed or were cancelled; the new job's id. */
  async retryFailed(jobId: string, requestedBy: string): Promise<string> {
    const { knex, queue, jobs } = this.#parts;
    const job = await jobs.get(jobId);
    if (job.completedAt === null)
      throw new ConflictError('svc_job_not_finished', 'The job is still at work; wait for its end or cancel it.');
    const items = await jobs.failedItems(jobId);
    if (items.length === 0) throw new ConflictError('svc_nothing_to_retry', 'No item of the job failed.');
    const input = await jobs.input(jobId);
    const stages = job.stages ?? undefined;
    const rows = { kind: job.kind, requestedBy, input, items, stages };
    return inTransaction(knex, (scope) => queue.enqueueRows(scope, rows));
  }

  async #collect<Result>(
    kind: JobKind<never, Result>,
    jobId: string,
    sites: readonly FleetSite[],
    unresolved: readonly ItemError[],
  ): Promise<FleetOutcome<Result>> {
    const { items } = await this.#parts.jobs.items(jobId, undefined, { page: 1, perPage: sites.length });
    const results: Result[] = [];
    const errors: ItemError[] = [...unresolved];
    items.forEach(({ state, result, error }, position) => {
      const fleetSite = sites[position];
      if (!fleetSite) return;
      const place = { identifier: fleetSite.identifier, site_id: fleetSite.site.id, site_url: fleetSite.site.url };
      // An item that was postponed has a result already, which says what is still open.
      if (state === 'succeeded' || (result && (state === 'failed' || state === 'waiting')))
        results.push(kind.resultOf(result));
      else if (error) errors.push({ ...place, ...error });
      else
        errors.push({
          ...place,
          code: 'svc_still_running',
          message: 'This site was not done in time; the job goes on.',
          job_id: jobId,
        });
    });
    return { results, errors };
  }
}

/** Whether the queue does the first items in the process of the call. */
type Way = 'begin' | 'enqueue';

const isLarge = ({ sites }: FleetCall<unknown>): boolean => sites.length > QUEUE_THRESHOLD;

const beginningOf = ({ notBefore }: FleetCall<unknown>): Way => (notBefore === undefined ? 'begin' : 'enqueue');

const wayOf = (call: FleetCall<unknown>): Way => (isLarge(call) ? 'enqueue' : beginningOf(call));

const ofNoSite = ({ errors }: FleetCall<unknown>) => ({ results: [], errors: [...errors] });

/** What a caller is told of a run that goes on by itself. */
export const queuedRun = (jobId: string, { sites, errors }: FleetCall<unknown>) => ({
  queued: true as const,
  jobId,
  sitesQueued: sites.length,
  errors: [...errors],
});

/** A job with an item for each site. */
const jobOf = <Input>({ input, sites, requestedBy, notBefore, stages }: FleetCall<Input>): NewJob<Input> => ({
  requestedBy,
  input,
  items: sites.map(({ identifier, site, stage }) => ({ siteId: site.id, identifier, stage })),
  notBefore,
  stages,
});
