import type { JobRead } from '../../generated/sdk/parts/jobs.ts';
import { Deadline, wait } from './deadline.ts';
import type { CallOptions } from './transport.ts';

export interface WaitOptions {
  /** Called with the first known state of the job and after every change. */
  onProgress?: (job: JobRead['data']) => void;
  /** Signal that ends the waiting when it is aborted. The job continues. */
  signal?: AbortSignal;
  /** Maximum waiting time in milliseconds. Default: no limit. */
  timeoutMs?: number;
  /**
   * Milliseconds between two requests at first, and after every change.
   * @default 250
   */
  everyMs?: number;
  /**
   * Maximum milliseconds between two requests. The interval grows while the job does not change.
   * @default 5_000
   */
  longestMs?: number;
}

export async function watchJob(
  look: (options: CallOptions) => Promise<JobRead>,
  { onProgress, signal, timeoutMs, everyMs = 250, longestMs = 5_000 }: WaitOptions,
): Promise<JobRead> {
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
