import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { JobKind, JobStages, NewJob, Queue } from '../../queue/index.ts';
import { ConflictError, DatabaseUnavailableError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import type { Permission } from '../../shared/permissions.ts';
import { ALL_SITES, isLimited, type SiteScope } from '../../shared/site-scope.ts';
import { outsideError } from '../sites/index.ts';
import type { Job } from './job.ts';
import type { JobReadModel } from './job-read-model.ts';
import type { Requester } from '../../shared/requester.ts';

/**
 * Largest number of sites for which a call waits. For more sites, it returns at once and the job runs in the
 * background.
 */
const QUEUE_THRESHOLD = 200;

/** `identifier` is the reference that the caller used; `stage` is an index in the stages of the call. */
export interface FleetSite {
  identifier: string | number;
  site: { id: number; url: string };
  stage?: number;
}

export interface FleetCall<Input> {
  input: Input;
  sites: readonly FleetSite[];
  errors: readonly ItemError[];
  requestedBy: Requester;
  notBefore?: number;
  stages?: JobStages;
}

export interface StartedRun {
  jobId: string;
  sites: number;
}

export interface ExistingRun {
  underWay: StartedRun;
}

/**
 * Searches for a job that already does the work, in the transaction that stores the new job. Returns the job that was
 * found, or null to allow the new job. Throws to reject it.
 */
export type DuplicateRunCheck = (trx: Knex) => Promise<StartedRun | null>;

export interface FleetResultsAndErrors<Result> {
  results: Result[];
  errors: ItemError[];
}

export type FinishedOrQueuedFleetRun<Result> =
  | { queued: true; jobId: string; sitesQueued: number; errors: ItemError[] }
  | ({ queued: false } & FleetResultsAndErrors<Result>);

export interface FleetRunnerDeps {
  knex: Knex;
  queue: Queue;
  jobs: JobReadModel;
  inlineDeadlineMs: number;
}

/**
 * Runs an operation on several sites as a job. For up to `QUEUE_THRESHOLD` sites, the caller waits for the results, but
 * only until the deadline. Sites that are unfinished by then are returned in `errors`, and the job continues. It also
 * continues if the client disconnects.
 */
export class FleetRunner {
  readonly #deps: FleetRunnerDeps;

  constructor(deps: FleetRunnerDeps) {
    this.#deps = deps;
  }

  async run<Input, Result>(
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
  ): Promise<FinishedOrQueuedFleetRun<Result>> {
    if (call.sites.length === 0) return { queued: false, ...resultWithoutSites(call) };
    return this.#resultOf(kind, call, await this.#record(kind, call, startModeOf(call)));
  }

  async runUnlessDuplicate<Input, Result>(
    guard: DuplicateRunCheck,
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
  ): Promise<FinishedOrQueuedFleetRun<Result> | ExistingRun> {
    if (call.sites.length === 0) return { queued: false, ...resultWithoutSites(call) };
    const recorded = await this.#recordUnlessDuplicate(guard, kind, call, startModeOf(call));
    return 'underWay' in recorded ? recorded : this.#resultOf(kind, call, recorded.jobId);
  }

  start<Input>(kind: JobKind<Input, unknown>, call: FleetCall<Input>): Promise<string> {
    return this.#record(kind, call, 'enqueue');
  }

  startUnlessDuplicate<Input>(
    guard: DuplicateRunCheck,
    kind: JobKind<Input, unknown>,
    call: FleetCall<Input>,
  ): Promise<{ jobId: string } | ExistingRun> {
    return this.#recordUnlessDuplicate(guard, kind, call, 'enqueue');
  }

  /** Works like `run`, but waits for any number of sites. */
  async wait<Input, Result>(
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
  ): Promise<FleetResultsAndErrors<Result>> {
    if (call.sites.length === 0) return resultWithoutSites(call);
    return this.#waitFor(kind, call, await this.#record(kind, call, backgroundStartModeOf(call)));
  }

  /** Waits for a job that another job has started, unless it has more sites than a call waits for. */
  async waitForStarted({ jobId, sites }: StartedRun, requestedBy: Requester): Promise<void> {
    if (sites <= QUEUE_THRESHOLD) await this.#waitForEnd(jobId, requestedBy);
  }

  async #waitForEnd(jobId: string, { wait }: Requester): Promise<void> {
    const { queue, inlineDeadlineMs } = this.#deps;
    await queue.waitFor(jobId, Math.min(inlineDeadlineMs, wait?.deadlineMs ?? Infinity));
  }

  async #resultOf<Input, Result>(
    kind: JobKind<Input, Result>,
    call: FleetCall<Input>,
    jobId: string,
  ): Promise<FinishedOrQueuedFleetRun<Result>> {
    if (isLarge(call)) return toQueuedFleetRun(jobId, call);
    return { queued: false, ...(await this.#waitFor(kind, call, jobId)) };
  }

  async #waitFor<Input, Result>(
    kind: JobKind<Input, Result>,
    { sites, errors, requestedBy }: FleetCall<Input>,
    jobId: string,
  ): Promise<FleetResultsAndErrors<Result>> {
    requestedBy.wait?.onJob(jobId);
    try {
      await this.#waitForEnd(jobId, requestedBy);
      return await this.#collect(kind, jobId, sites, errors);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      const message = `${error.message} The job ${jobId} continues.`;
      throw new DatabaseUnavailableError(error.code, message, { ...error.data, job_id: jobId }, { cause: error });
    }
  }

  #record<Input>(kind: JobKind<Input, unknown>, call: FleetCall<Input>, way: StartMode): Promise<string> {
    return inTransaction(this.#deps.knex, (scope) => this.#deps.queue[way](scope, kind, toNewJob(call)));
  }

  #recordUnlessDuplicate<Input>(
    guard: DuplicateRunCheck,
    kind: JobKind<Input, unknown>,
    call: FleetCall<Input>,
    way: StartMode,
  ): Promise<{ jobId: string } | ExistingRun> {
    return inTransaction(this.#deps.knex, async (scope) => {
      const underWay = await guard(scope.trx);
      if (underWay) return { underWay };
      return { jobId: await this.#deps.queue[way](scope, kind, toNewJob(call)) };
    });
  }

  /**
   * For a limited scope, throws `svc_job_not_found` if the scope has no item of the job, and `svc_outside_limits` if it
   * has only some of them.
   */
  async cancel(scope: SiteScope, jobId: string): Promise<boolean | null> {
    if (isLimited(scope)) await this.#wholeJob(scope, jobId);
    return this.#deps.queue.cancel(jobId);
  }

  async retryPermissionsOf({ id, kind }: Job): Promise<Permission[]> {
    const { queue, jobs } = this.#deps;
    return queue.retryPermissionsOf(kind, await jobs.input(id));
  }

  /**
   * Queues a new job for the items that did not succeed, and returns its ID. Throws `svc_job_not_found`,
   * `svc_outside_limits`, `svc_job_not_finished`, and `svc_nothing_to_retry` if every item succeeded.
   */
  async retryFailed(scope: SiteScope, jobId: string, requestedBy: Requester): Promise<string> {
    const { knex, queue, jobs } = this.#deps;
    const job = await this.#wholeJob(scope, jobId);
    if (job.completedAt === null) {
      const advice =
        job.state === 'cancelled' ? 'It is cancelled: wait for its end.' : 'Wait for its end or cancel it.';
      throw new ConflictError('svc_job_not_finished', `The job is still running. ${advice}`);
    }
    const input = await jobs.input(jobId);
    const stages = job.stages ?? undefined;
    return inTransaction(knex, async (transaction) => {
      const items = await jobs.failedItems(transaction.trx, job);
      if (items.total === 0) throw new ConflictError('svc_nothing_to_retry', 'Every item of the job succeeded.');
      return queue.retry(transaction, jobId, { kind: job.kind, requestedBy, input, items, stages });
    });
  }

  async #wholeJob(scope: SiteScope, jobId: string): Promise<Job> {
    const { jobs } = this.#deps;
    const job = await jobs.get(scope, jobId);
    const outside = await jobs.countOutside(scope, jobId);
    if (outside > 0) throw outsideError('The job has items that are outside your limits.', outside);
    return job;
  }

  async #collect<Result>(
    kind: JobKind<never, Result>,
    jobId: string,
    sites: readonly FleetSite[],
    unresolved: readonly ItemError[],
  ): Promise<FleetResultsAndErrors<Result>> {
    const firstPage = { page: 1, perPage: sites.length };
    const { items } = await this.#deps.jobs.items(ALL_SITES, jobId, undefined, firstPage, sites.length);
    const results: Result[] = [];
    const errors: ItemError[] = [...unresolved];
    items.forEach(({ state, result, error }, position) => {
      const fleetSite = sites[position];
      if (!fleetSite) return;
      const place = { identifier: fleetSite.identifier, site_id: fleetSite.site.id, site_url: fleetSite.site.url };
      // The result of a postponed item describes the work that is still open. It does not count while the item runs
      // again.
      if (result && state !== 'running') results.push(kind.resultOf(result));
      else if (error) errors.push({ ...place, ...error });
      else
        errors.push({
          ...place,
          code: 'svc_still_running',
          message: 'This site was not finished in time. The job continues.',
          job_id: jobId,
        });
    });
    return { results, errors };
  }
}

/**
 * `begin` makes the queue run the first items in this process. `enqueue` leaves them to the next process that claims
 * items.
 */
type StartMode = 'begin' | 'enqueue';

const isLarge = ({ sites }: FleetCall<unknown>): boolean => sites.length > QUEUE_THRESHOLD;

const backgroundStartModeOf = ({ notBefore }: FleetCall<unknown>): StartMode =>
  notBefore === undefined ? 'begin' : 'enqueue';

const startModeOf = (call: FleetCall<unknown>): StartMode => (isLarge(call) ? 'enqueue' : backgroundStartModeOf(call));

const resultWithoutSites = ({ errors }: FleetCall<unknown>) => ({ results: [], errors: [...errors] });

export const toQueuedFleetRun = (jobId: string, { sites, errors }: FleetCall<unknown>) => ({
  queued: true as const,
  jobId,
  sitesQueued: sites.length,
  errors: [...errors],
});

const toNewJob = <Input>({ input, sites, requestedBy, notBefore, stages }: FleetCall<Input>): NewJob<Input> => ({
  requestedBy,
  input,
  items: sites.map(({ identifier, site, stage }) => ({ siteId: site.id, identifier, stage })),
  notBefore,
  stages,
});
