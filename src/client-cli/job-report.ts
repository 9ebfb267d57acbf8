import type { Job, JobRing } from '../sdk/index.ts';
import { formatUnsuccessfulCounts } from './progress-bar.ts';
import { formatValue, type Column } from './table.ts';

/** Error code of items that did not begin because their run was stopped. The errors of these items are not printed. */
export const RING_STOPPED = 'svc_ring_stopped';

export const RING_COLUMNS: readonly Column<JobRing>[] = [
  { title: 'ring', of: ({ name }) => name },
  { title: 'state', of: ({ state }) => state.replaceAll('_', ' ') },
  { title: 'sites', of: ({ total }) => total },
  { title: 'installed', of: ({ installed }) => installed },
  { title: 'failed', of: ({ failed }) => failed },
  { title: 'broken', of: ({ broken }) => broken },
  { title: 'unknown', of: ({ unknown }) => unknown },
];

export function describeJob(job: Job): string {
  const others = formatUnsuccessfulCounts(job).map((each) => `, ${each}`);
  const counts = `${job.succeeded} of ${job.total} succeeded${others.join('')}`;
  const stop = job.stop_reason ? `Stopped: ${formatValue(job.stop_reason)}\n` : '';
  return `Job ${job.job_id} (${job.type}) ${job.status}: ${counts}.\n${stop}`;
}
