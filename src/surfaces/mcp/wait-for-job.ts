import { setTimeout as sleep } from 'node:timers/promises';
import type { McpCall } from '../../http/mcp.ts';
import type { ProgressReporter } from './progress-reporter.ts';

export interface QueuedJob {
  queued: true;
  job_id: string;
}

export const isQueued = (answer: unknown): answer is QueuedJob =>
  typeof answer === 'object' && answer !== null && 'queued' in answer && answer.queued === true && 'job_id' in answer;

export interface JobStatus {
  job_id: string;
  type: string;
  status: string;
  total: number;
  processed: number;
  succeeded: number;
  partial: number;
  failed: number;
  unknown: number;
  not_begun: number;
  started_at: string | null;
  completed_at: string | null;
  /**
   * Set, like `rings`, only for an update that runs in rings (one group of sites after another). Both fields can
   * contain names of tags.
   */
  stop_reason?: string | null;
  rings?: unknown[];
}

export const JOB_STATUS_ABILITY = 'get-batch-job-status-v1';

export interface ProgressWait {
  reporter: ProgressReporter;
  signal: AbortSignal;
  isStopping: () => boolean;
}

const [FIRST_LOOK_MS, LAST_LOOK_MS] = [100, 1_000] as const;

/** Returns null if the caller may not read jobs. A permission to start a job does not include that. */
export async function readJobStatus({ dispatch }: McpCall, jobId: string): Promise<JobStatus | null> {
  const { status, body } = await dispatch.abilities({
    method: 'POST',
    path: `/svc/${JOB_STATUS_ABILITY}/run`,
    body: { input: { job_id: jobId } },
    isUncounted: true,
  });
  if (status !== 200) return null;
  // Leaves out the errors, because they contain text from the sites.
  const { errors: _, ...job } = body as JobStatus & { errors: unknown };
  return job;
}

/**
 * Returns the last known status when the waiting ends, or null if the caller may not read jobs. Reads the status at
 * least once, even if the deadline has already passed. The job always continues.
 */
export async function waitForJob(
  call: McpCall,
  jobId: string,
  { reporter, signal, isStopping }: ProgressWait,
): Promise<JobStatus | null> {
  for (let pauseMs: number = FIRST_LOOK_MS; ; pauseMs = Math.min(LAST_LOOK_MS, 1.5 * pauseMs)) {
    const job = await readJobStatus(call, jobId);
    if (job === null || signal.aborted) return job;
    reporter.report(job.processed, job.total);
    if (job.completed_at !== null || isStopping()) return job;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return job;
  }
}
