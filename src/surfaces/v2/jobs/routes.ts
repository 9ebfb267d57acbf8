import { ConflictError, NotFoundError } from '../../../shared/errors.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { requirePermission } from '../../../shared/permission-check.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { hasFailures } from '../../../domains/jobs/index.ts';
import { jobItemView, jobView } from './view.ts';
import { dropEmptyFilters, listOrderOf } from '../query-helpers.ts';
import { pageResponse, pageHeaders, pagingFields, pageRequestOf } from '../paging.ts';
import { requesterOf } from '../../../shared/requester.ts';

export const routes = (
  { jobs: { jobs, runner } }: RequiredServices<'jobs'>,
  { base }: BaseAddress,
): HandlersOf<'jobs'> => ({
  jobs_list: async ({ caller, query }) => {
    const { status: state, type: kind, requested_by: requestedBy } = query;
    const filter = dropEmptyFilters({ state, kind, requestedBy });
    const page = await jobs.list(caller.sites, filter, pageRequestOf(query), listOrderOf(query));
    const counts = await jobs.stageCounts(caller.sites, page.items);
    return pageResponse(page, (job) => jobView(job, counts.get(job.id)), `${base}/jobs`, query);
  },
  jobs_get: async ({ caller, path, query }) => {
    const job = await jobs.get(caller.sites, path.job_id);
    const counts = await jobs.stageCounts(caller.sites, [job]);
    const page = await jobs.items(caller.sites, job.id, query.state, pageRequestOf(query), job.total);
    const items = page.items.map((item) => jobItemView(job, item));
    const errors = hasFailures(job) ? await jobs.failures(caller.sites, job.id, undefined, job.total) : [];
    return {
      status: 200,
      body: { success: 1, data: jobView(job, counts.get(job.id)), items, errors, ...pagingFields(page) },
      headers: pageHeaders(page, `${base}/jobs/${encodeURIComponent(job.id)}`, query),
    };
  },
  jobs_cancel: async ({ caller, path }) => {
    const cancelled = await runner.cancel(caller.sites, path.job_id);
    if (cancelled === null)
      throw new NotFoundError('svc_job_not_found', 'No job has this ID, or the job is older than 30 days.');
    if (!cancelled) throw new ConflictError('svc_job_finished', 'The job has finished, so it cannot be cancelled.');
    const job = await jobs.get(caller.sites, path.job_id);
    return { status: 200, body: { success: 1, message: 'The job was cancelled.', data: jobView(job) } };
  },
  jobs_retry_failed: async ({ path, caller }) => {
    const needed = await runner.retryPermissionsOf(await jobs.get(caller.sites, path.job_id));
    for (const permission of needed) requirePermission(caller, permission);
    const job = await jobs.get(caller.sites, await runner.retryFailed(caller.sites, path.job_id, requesterOf(caller)));
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
