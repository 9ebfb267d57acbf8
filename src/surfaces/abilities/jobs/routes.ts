import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { jobStatusView } from './view.ts';

export const routes = ({ jobs: { jobs } }: RequiredServices<'jobs'>): HandlersOf<'jobs'> => ({
  'get-batch-job-status-v1': async ({ job_id }, { caller }) => {
    const job = await jobs.get(caller.sites, job_id);
    return jobStatusView(job, await jobs.failures(caller.sites, job_id, undefined, job.total));
  },
});
