import type { components } from '../../../../generated/v2.ts';
import { itemCountsOf, progressOf, type Job, type JobItem, type StageCounts } from '../../../domains/jobs/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { ringsView } from './rings-view.ts';
import { RESULT_VIEWS } from './result-views.ts';

type Schemas = components['schemas'];

/** Returns the type of a job. The contract lists all job kinds, and a test compares the two lists. */
const jobTypeOf = ({ kind }: Job): Schemas['JobType'] => kind as Schemas['JobType'];

export const jobView = (job: Job, counts?: readonly StageCounts[]): Schemas['Job'] => ({
  job_id: job.id,
  type: jobTypeOf(job),
  status: job.state,
  total: job.total,
  processed: job.processed,
  ...itemCountsOf(job),
  progress: progressOf(job),
  requested_by: job.requestedBy,
  created_at: toIso(job.createdAt),
  started_at: toIso(job.startedAt),
  completed_at: toIso(job.completedAt),
  ...(counts && ringsView(job, counts)),
});

export const jobItemView = (job: Job, item: JobItem): Schemas['JobItem'] => ({
  identifier: item.identifier,
  site_id: item.siteId,
  ...(job.stages && { ring: job.stages.names[item.stage] ?? '', ring_index: item.stage }),
  state: item.state,
  result: item.result && (RESULT_VIEWS[jobTypeOf(job)]?.(item.result) ?? {}),
  error: item.error,
  started_at: toIso(item.startedAt),
  completed_at: toIso(item.completedAt),
});
