import type { components } from '../../../../generated/v2.ts';
import type { Job } from '../../../domains/jobs/index.ts';
import type { DismissedMessage } from '../../../domains/tools/index.ts';
import { toIso } from '../../../shared/clock.ts';
import type { ItemError } from '../../../shared/item-error.ts';

type Schemas = components['schemas'];

const STATUS: Record<Job['state'], Schemas['ToolStatus']['status']> = {
  queued: 'pending',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

export const toolStatusView = ({ job, failures }: { job: Job; failures: ItemError[] }): Schemas['ToolStatus'] => ({
  success: 1,
  status: STATUS[job.state],
  total: job.total,
  processed: job.processed,
  // Counts each site without success, also those that were not started because the run was cancelled.
  failed: job.processed - job.succeeded,
  progress: percentDone(job),
  errors: failures,
  started_at: toIso(job.startedAt),
  completed_at: toIso(job.completedAt),
});

/** Returns the progress in percent. Rounds down to two decimals, so that 100 means that all items are done. */
const percentDone = ({ total, processed }: Job): number =>
  total === 0 ? 100 : Math.floor((10_000 * processed) / total) / 100;

export const messageView = ({ messageId, dismissedAt }: DismissedMessage): Schemas['InfoMessage'] => ({
  message_id: messageId,
  dismissed_at: toIso(dismissedAt),
});
