import { setTimeout as sleep } from 'node:timers/promises';
import type { McpCall } from '../../http/mcp.ts';
import type { ProgressReporter } from './progress-reporter.ts';

export interface QueuedJob {
  queued: true;
  job_id: string;
}

export const isQueued = (answer: unknown): answer is QueuedJob =>
  typeof answer === 'object' && answer !== null && 'queued' in answer && answer.queued === true && 'job_id' in answer;

interface JobStatus {
  status: string;
  processed: number;
  total: number;
  completed_at: string | null;
}

export const JOB_STATUS_ABILITY = 'get-batch-job-status-v1';

export interface WaitOptions {
  signal: AbortSignal;
  isStopping: () => boolean;
}

const [FIRST_LOOK_MS, LAST_LOOK_MS] = [100, 1_000] as const;

/** Returns the last known status when the waiting ends, or null if it is unknown. The job always continues. */
export async function waitForJob(
  { dispatch }: McpCall,
  jobId: string,
  progress: ProgressReporter,
  { signal, isStopping }: WaitOptions,
): Promise<JobStatus | null> {
  let job: JobStatus | null = null;
  for (
    let pauseMs: number = FIRST_LOOK_MS;
    !signal.aborted && !isStopping();
    pauseMs = Math.min(LAST_LOOK_MS, 1.5 * pauseMs)
  ) {
    const { status, body } = await dispatch({
      method: 'POST',
      path: `/svc/${JOB_STATUS_ABILITY}/run`,
      body: { input: { job_id: jobId } },
    });
    // A caller who may start a job does not always have permission to read it.
    if (status !== 200) return null;
    job = body as JobStatus;
    progress.report(job.processed, job.total);
    if (job.completed_at !== null) return job;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return job;
}
