import type { JobAnswer } from '../../generated/sdk/parts/jobs.ts';
import { Deadline, wait } from './deadline.ts';
import type { CallOptions } from './transport.ts';

export interface WaitOptions {
  /** Called with what is known first, and whenever that changed. */
  onProgress?: (job: JobAnswer['data']) => void;
  /** Ends the waiting; the job goes on. */
  signal?: AbortSignal;
  /** Milliseconds for the waiting. Without it, until the job ends. */
  timeoutMs?: number;
  /**
   * Milliseconds between two looks at first, and whenever something moved.
   * @default 250
   */
  everyMs?: number;
  /**
   * The most that it becomes while nothing moves.
   * @default 5_000
   */
  longestMs?: number;
}

/** Looks at a job until it has ended: often while it moves, seldom while it does not. */
export async function watchJob(
  look: (options: CallOptions) => Promise<JobAnswer>,
  { onProgress, signal, timeoutMs, everyMs = 250, longestMs = 5_000 }: WaitOptions,
): Promise<JobAnswer> {
  const deadline = new Deadline(signal, timeoutMs);
  let known = '';
  let pause = everyMs;
  try {
    for (;;) {
      const answer = await look({ signal: deadline.signal });
      const { data: job } = answer;
      const state = `${job.status} ${job.processed} ${job.total}`;
      if (state !== known) {
        onProgress?.(job);
        pause = everyMs;
      } else pause = Math.min(longestMs, pause * 1.5);
      known = state;
      if (job.completed_at !== null) return answer;
      await wait(pause, deadline.signal);
    }
  } finally {
    deadline.release();
  }
}
