import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import type { Knex } from 'knex';
import { lockRevision } from '../../db/revisions.ts';
import type { JobKind } from '../../queue/index.ts';
import type { Clock } from '../../shared/clock.ts';
import { NotFoundError } from '../../shared/errors.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { hasFailures, JobReadModel, type FleetRunner, type Job, type StartedRun } from '../jobs/index.ts';
import type { SiteList, SiteStatus } from '../sites/index.ts';
import type { ToolJobs } from './tool.jobs.ts';
import { unlimitedRequester } from '../../shared/requester.ts';

const SHOWN_FAILURES = 10;

export type ToolName = keyof ToolJobs;

export interface ToolRunsDeps {
  clock: Clock;
  jobs: JobReadModel;
  runner: FleetRunner;
  list: SiteList;
  kinds: ToolJobs;
}

export class ToolRuns {
  readonly #deps: ToolRunsDeps;

  constructor(deps: ToolRunsDeps) {
    this.#deps = deps;
  }

  destroySessions(actor: string): Promise<StartedRun> {
    return this.#start(this.#deps.kinds.destroySessions, {}, ['connected'], actor);
  }

  renewConnections(actor: string): Promise<StartedRun> {
    const { kinds, clock } = this.#deps;
    return this.#start(kinds.renewConnections, { since: clock.now() }, ['connected'], actor);
  }

  disconnectAllSites(actor: string): Promise<StartedRun> {
    return this.#start(this.#deps.kinds.disconnectAllSites, {}, ['connected', 'suspended'], actor);
  }

  async status(scope: SiteScope, tool: ToolName, jobId: string): Promise<{ job: Job; failures: ItemError[] }> {
    const { jobs, kinds } = this.#deps;
    const job = await jobs.get(scope, jobId);
    if (job.kind !== kinds[tool].name) throw new NotFoundError('svc_job_not_found', 'No run of this tool has this ID.');
    return { job, failures: hasFailures(job) ? await jobs.failures(scope, jobId, SHOWN_FAILURES, job.total) : [] };
  }

  async #start<Input>(
    kind: JobKind<Input, unknown>,
    input: Input,
    states: readonly SiteStatus[],
    requestedBy: string,
  ): Promise<StartedRun> {
    const { runner, list } = this.#deps;
    const fitting = (await list.all(ALL_SITES, {})).filter(({ status }) => states.includes(status));
    const sites = fitting.map((site) => ({ identifier: site.id, site }));
    const first = async (trx: Knex): Promise<StartedRun | null> => {
      const other = await runUnderWay(trx, kind.name);
      if (!other && sites.length === 0)
        throw new NotFoundError('svc_no_website_found', `No site is ${states.join(' or ')}.`);
      return other;
    };
    const started = await runner.startUnlessDuplicate(first, kind, {
      input,
      sites,
      errors: [],
      requestedBy: unlimitedRequester(requestedBy),
    });
    return 'underWay' in started ? started.underWay : { jobId: started.jobId, sites: sites.length };
  }
}

/** Finds a run under way. Because of the lock, a concurrent start waits until this run is stored, and finds it. */
async function runUnderWay(trx: Knex, kind: string): Promise<StartedRun | null> {
  await lockRevision(trx, 'sites');
  const [job] = await new JobReadModel(trx).underWay(kind);
  return job ? { jobId: job.id, sites: job.total } : null;
}
