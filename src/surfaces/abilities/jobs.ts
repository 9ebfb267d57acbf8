import type { operations } from '../../../generated/abilities.ts';
import type { JobReadModel } from '../../domains/jobs/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { jobStatusView } from './jobs.view.ts';

export interface JobsParts {
  jobs: JobReadModel;
}

export const jobs = ({ jobs }: JobsParts): SomeHandlers<operations, 'get-batch-job-status-v1'> => ({
  'get-batch-job-status-v1': async ({ job_id }) => {
    const job = await jobs.get(job_id);
    return jobStatusView(job, await jobs.failures(job_id));
  },
});
