import type { McpCall } from '../../http/mcp.ts';
import type { CallWait } from '../../shared/call-wait.ts';
import { readJobStatus, waitForJob, type JobStatus, type ProgressWait } from './wait-for-job.ts';

export interface ProgressWaitOptions {
  /** Null if the client did not request progress. The call then does not wait for a queued job. */
  progress: ProgressWait | null;
  /** Time after which the call returns the job instead of its results. */
  waitMs: number;
}

export class JobWatch {
  readonly #call: McpCall;
  readonly #options: ProgressWaitOptions;
  readonly #startedAt = performance.now();
  readonly #ended = new AbortController();
  #jobId: string | null = null;

  constructor(call: McpCall, options: ProgressWaitOptions) {
    this.#call = call;
    this.#options = options;
  }

  get wait(): CallWait {
    return { deadlineMs: this.#options.waitMs, onJob: (jobId) => this.#start(jobId) };
  }

  /** Reports the progress of the first job. The items of a batch can start several. */
  #start(jobId: string): void {
    if (this.#jobId !== null) return;
    this.#jobId = jobId;
    const { progress } = this.#options;
    if (!progress) return;
    const signal = AbortSignal.any([progress.signal, this.#ended.signal]);
    void waitForJob(this.#call, jobId, { ...progress, signal }).catch(() => undefined);
  }

  /** Returns the job if the call returned at its deadline and the job still runs. Returns null otherwise. */
  async unfinishedJob(): Promise<{ jobId: string; status: JobStatus | null } | null> {
    // Aborting creates an error with its stack, which costs time in every call.
    if (this.#options.progress) this.#ended.abort();
    const isOverdue = performance.now() - this.#startedAt >= this.#options.waitMs;
    if (this.#jobId === null || !isOverdue) return null;
    const status = await readJobStatus(this.#call, this.#jobId);
    return status !== null && status.completed_at !== null ? null : { jobId: this.#jobId, status };
  }
}
