import type { operations } from '../../../generated/v2.ts';
import type { FleetRunner, JobReadModel } from '../../domains/jobs/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { ConflictError, NotFoundError } from '../../shared/errors.ts';
import { jobItemView, jobView } from './jobs.view.ts';
import { paged, pageHeaders, pageNumbers, pageRequestOf } from './paging.ts';

type Names = 'jobs_list' | 'jobs_get' | 'jobs_cancel' | 'jobs_retry_failed';

export interface JobsParts {
  jobs: JobReadModel;
  /** Null when there is no such job, false when it had finished already. */
  cancel: (jobId: string) => Promise<boolean | null>;
  runner: FleetRunner;
  base: string;
}

export const jobs = ({ jobs, cancel, runner, base }: JobsParts): SomeHandlers<operations, Names> => ({
  jobs_list: async ({ query }) => {
    const { status: state, type: kind } = query;
    const page = await jobs.list({ ...(state ? { state } : {}), ...(kind ? { kind } : {}) }, pageRequestOf(query));
    return paged(page, jobView, `${base}/jobs`, query);
  },
  jobs_get: async ({ path, query }) => {
    const job = await jobs.get(path.job_id);
    const page = await jobs.items(job.id, query.state, pageRequestOf(query));
    const items = page.items.map(jobItemView);
    const errors = job.failed > 0 ? await jobs.failures(job.id) : [];
    return {
      status: 200,
      body: { success: 1, data: jobView(job), items, errors, ...pageNumbers(page) },
      headers: pageHeaders(page, `${base}/jobs/${encodeURIComponent(job.id)}`, query),
    };
  },
  jobs_cancel: async ({ path }) => {
    const cancelled = await cancel(path.job_id);
    if (cancelled === null)
      throw new NotFoundError('svc_job_not_found', 'No job goes by this ID, or it is older than 30 days.');
    if (!cancelled)
      throw new ConflictError('svc_job_finished', 'The job has finished; there is nothing left to cancel.');
    const job = await jobs.get(path.job_id);
    return { status: 200, body: { success: 1, message: 'The job was cancelled.', data: jobView(job) } };
  },
  jobs_retry_failed: async ({ path, caller }) => {
    const job = await jobs.get(await runner.retryFailed(path.job_id, caller.name));
    return { status: 200, body: { success: 1, message: `${job.total} items are tried again.`, data: jobView(job) } };
  },
});
