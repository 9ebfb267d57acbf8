import type { JobRead } from '../../generated/sdk/parts/jobs.ts';
import { Deadline, wait } from './deadline.ts';
import { ConnectionError, isRefusal } from './errors.ts';
import type { CallOptions } from './transport.ts';

export interface WaitOptions {
  /** Called with the first known state of the job and after every change. */
  onProgress?: (job: JobRead['data']) => void;
  /** Signal that ends the waiting when it is aborted. The job continues. */
  signal?: AbortSignal;
  /**
   * Maximum waiting time in milliseconds, also if the service becomes unreachable. Default: no limit, but an error is
   * thrown if the service is unreachable for a minute.
   */
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

/** Milliseconds for which a service may be unreachable while a caller without a timeout waits for a job. */
const LONGEST_OUTAGE_MS = 60_000;

export async function watchJob(
  look: (options: CallOptions) => Promise<JobRead>,
  { onProgress, signal, timeoutMs, everyMs = 250, longestMs = 5_000 }: WaitOptions,
): Promise<JobRead> {
  const deadline = new Deadline(signal, timeoutMs);
  let known = '';
  let pause = everyMs;
  let outageSince: number | undefined;
  try {
    for (;;) {
      let answer: JobRead;
      try {
        answer = await look({ signal: deadline.signal });
        outageSince = undefined;
      } catch (error) {
        outageSince ??= Date.now();
        const isTooLong = timeoutMs === undefined && Date.now() - outageSince >= LONGEST_OUTAGE_MS;
        // A service that has never responded is probably not there.
        if (!isOutage(error) || known === '' || isTooLong) throw error;
        pause = Math.min(longestMs, pause * 1.5);
        await wait(pause, deadline.signal);
        continue;
      }
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

/** True if the service may be restarting. A proxy in front of it then responds with one of these statuses. */
const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionError || (isRefusal(error) && [502, 503, 504].includes(error.status));
