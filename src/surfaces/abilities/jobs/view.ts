import type { components } from '../../../../generated/abilities.ts';
import { itemCountsOf, progressOf, type Job } from '../../../domains/jobs/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { ItemError } from '../../../shared/item-error.ts';
import type { JobLinks } from '../surface-context.ts';

type JobQueued = components['schemas']['JobQueued'];
type JobStatus = components['schemas']['GetBatchJobStatusOutput'];

export function queuedView(
  { jobId, sitesQueued, errors }: { jobId: string; sitesQueued: number; errors: ItemError[] },
  links: JobLinks,
): JobQueued {
  return { queued: true, job_id: jobId, status_url: links.job(jobId), sites_queued: sitesQueued, errors };
}

export function jobStatusView(job: Job, errors: ItemError[]): JobStatus {
  return {
    job_id: job.id,
    type: job.kind as JobStatus['type'],
    status: job.state,
    progress: progressOf(job),
    processed: job.processed,
    total: job.total,
    ...itemCountsOf(job),
    started_at: toIso(job.startedAt),
    completed_at: toIso(job.completedAt),
    errors,
  };
}
