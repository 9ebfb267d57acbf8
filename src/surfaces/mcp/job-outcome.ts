import type { McpCall } from '../../http/mcp.ts';
import type { Operation } from './operation.ts';
import { isQueued, JOB_STATUS_ABILITY, type JobStatus } from './wait-for-job.ts';

const JOB_OPERATION = 'jobs_get';

export interface JobOutcome {
  job: JobStatus;
  /** First error of each item that did not succeed; at most 500. The texts can come from sites. */
  itemErrors: unknown[];
}

/**
 * Operations that start a job and return its ID in `data`. In other operations, such as `reports_discard`, the ID in
 * `data` is that of a job that an earlier call has started.
 */
export const JOB_STARTERS: ReadonlySet<string> = new Set([
  'jobs_retry_failed',
  'outbox_resend',
  'perf_audit_run',
  'perf_audit_run_all',
  'report_schedules_run',
  'schedules_run',
]);

export function startedJobId({ id }: Operation, answer: unknown): string | null {
  if (isQueued(answer)) return answer.job_id;
  if (!JOB_STARTERS.has(id)) return null;
  const { data } = (answer ?? {}) as { data?: { job_id?: unknown } | null };
  return typeof data?.job_id === 'string' ? data.job_id : null;
}

export async function readJobOutcome({ dispatch }: McpCall, jobId: string): Promise<JobOutcome | null> {
  const path = `/jobs/${encodeURIComponent(jobId)}?per_page=1`;
  const { status, body } = await dispatch.v2({ method: 'GET', path, isUncounted: true });
  if (status !== 200) return null;
  const { data, errors } = body as { data: JobStatus; errors: unknown[] };
  return { job: data, itemErrors: errors };
}

/**
 * Returns a sentence about an ended job. It contains no text from sites and no names of rings (groups of sites),
 * because notes are not marked as untrusted.
 */
export function endedNote({ job, itemErrors }: JobOutcome): string {
  const { job_id, status, total, succeeded, partial, failed, unknown, not_begun, stop_reason } = job;
  return [
    `The job ${job_id} has ended with the status "${status}": of ${total} items, ${succeeded} succeeded, ` +
      `${partial} succeeded in part, ${failed} failed, ${unknown} have an unknown outcome, ${not_begun} did not begin.`,
    ...(stop_reason ? ['The run was stopped: job.stop_reason says why, and job.rings at which ring.'] : []),
    ...(itemErrors.length > 0 ? [`item_errors has the error of each item that did not succeed.`] : []),
    `${callText(JOB_OPERATION, { path: { job_id } })} returns the results of the items.`,
  ].join(' ');
}

export function continuingNote({ caller }: McpCall, jobId: string): string {
  if (!caller.permissions.has('jobs:read'))
    return `The job ${jobId} continues in the background. This credential cannot follow it: it lacks jobs:read.`;
  return (
    `The job ${jobId} continues in the background. To follow it, repeat ` +
    `${callText(JOB_STATUS_ABILITY, { job_id: jobId })} until completed_at is set. ` +
    `${callText(JOB_OPERATION, { path: { job_id: jobId } })} returns the results of the items.`
  );
}

const callText = (operation: string, input: object): string =>
  `read_operation with operation "${operation}" and input ${JSON.stringify(input)}`;
