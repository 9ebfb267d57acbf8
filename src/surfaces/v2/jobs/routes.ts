import { ConflictError, NotFoundError } from '../../../shared/errors.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { hasFailures } from '../../../domains/jobs/index.ts';
import { jobItemView, jobView } from './view.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { pageResponse, pageHeaders, pagingFields, pageRequestOf } from '../paging.ts';

export const routes = (
  { jobs: { jobs, runner } }: RequiredServices<'jobs'>,
  { base }: BaseAddress,
): HandlersOf<'jobs'> => ({
  jobs_list: async ({ query }) => {
    const { status: state, type: kind, requested_by: requestedBy } = query;
    const page = await jobs.list(dropEmptyFilters({ state, kind, requestedBy }), pageRequestOf(query));
    const counts = await jobs.stageCounts(page.items);
    return pageResponse(page, (job) => jobView(job, counts.get(job.id)), `${base}/jobs`, query);
  },
  jobs_get: async ({ path, query }) => {
    const job = await jobs.get(path.job_id);
    const counts = await jobs.stageCounts([job]);
    const page = await jobs.items(job.id, query.state, pageRequestOf(query));
    const items = page.items.map((item) => jobItemView(job, item));
    const errors = hasFailures(job) ? await jobs.failures(job.id) : [];
    return {
      status: 200,
      body: { success: 1, data: jobView(job, counts.get(job.id)), items, errors, ...pagingFields(page) },
      headers: pageHeaders(page, `${base}/jobs/${encodeURIComponent(job.id)}`, query),
    };
  },
  jobs_cancel: async ({ path }) => {
    const cancelled = await runner.cancel(path.job_id);
    if (cancelled === null)
      throw new NotFoundError('svc_job_not_found', 'No job has this ID, or the job is older than 30 days.');
    if (!cancelled) throw new ConflictError('svc_job_finished', 'The job has finished, so it cannot be cancelled.');
    const job = await jobs.get(path.job_id);
    return { status: 200, body: { success: 1, message: 'The job was cancelled.', data: jobView(job) } };
  },
  jobs_retry_failed: async ({ path, caller }) => {
    const job = await jobs.get(await runner.retryFailed(path.job_id, caller.name));
    return {
      status: 200,
      body: {
        success: 1,
        message: `${job.total} ${job.total === 1 ? 'item is' : 'items are'} retried.`,
        data: jobView(job),
      },
    };
  },
});
