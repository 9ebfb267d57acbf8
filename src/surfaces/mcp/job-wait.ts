import { setTimeout as sleep } from 'node:timers/promises';
import type { McpCall } from '../../http/mcp.ts';
import type { Progress } from './progress.ts';

/** What a call answers that goes on in the background. */
export interface Queued {
  queued: true;
  job_id: string;
}

export const isQueued = (answer: unknown): answer is Queued =>
  typeof answer === 'object' && answer !== null && 'queued' in answer && answer.queued === true && 'job_id' in answer;

interface JobStatus {
  status: string;
  processed: number;
  total: number;
  completed_at: string | null;
}

/** The ability that tells how a job stands. */
export const JOB_STATUS = 'get-batch-job-status-v1';

/** What ends the waiting for a job. */
export interface Waiting {
  /** The client has gone, or has waited long enough. */
  signal: AbortSignal;
  /** The process is about to end. */
  isStopping: () => boolean;
}

const [FIRST_LOOK_MS, LAST_LOOK_MS] = [100, 1_000] as const;

/**
 * How a job stands when it has ended, or when its caller is not to wait any longer. Waiting is all that ends then: the
 * job goes on.
 */
export async function waitedFor(
  { dispatch }: McpCall,
  jobId: string,
  progress: Progress,
  { signal, isStopping }: Waiting,
): Promise<JobStatus | null> {
  let job: JobStatus | null = null;
  for (
    let pauseMs: number = FIRST_LOOK_MS;
    !signal.aborted && !isStopping();
    pauseMs = Math.min(LAST_LOOK_MS, 1.5 * pauseMs)
  ) {
    const { status, body } = await dispatch({
      method: 'POST',
      path: `/svc/${JOB_STATUS}/run`,
      body: { input: { job_id: jobId } },
    });
    // Who may start a job may not always look at it.
    if (status !== 200) return null;
    job = body as JobStatus;
    progress.at(job.processed, job.total);
    if (job.completed_at !== null) return job;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return job;
}
