import type { Job } from '../sdk/index.ts';
import type { Output } from './cli-environment.ts';

const WIDTH = 28;

type ShownJob = Pick<Job, 'processed' | 'total' | 'partial' | 'failed' | 'unknown' | 'not_begun' | 'status'>;

/** Returns the counters of items that ended without full success, such as `2 failed`. */
export const formatUnsuccessfulCounts = (job: ShownJob): string[] =>
  (['partial', 'failed', 'unknown', 'not_begun'] as const).flatMap((state) =>
    job[state] > 0 ? [`${job[state]} ${state.replace('_', ' ')}`] : [],
  );

/** Progress bar. It is shown only on a terminal, because a log file would contain each state of the bar. */
export class ProgressBar {
  readonly #output: Output;
  readonly #isShown: boolean;
  #length = 0;

  constructor(output: Output, isWanted: boolean) {
    this.#output = output;
    this.#isShown = isWanted && output.isTerminal;
  }

  show(job: ShownJob): void {
    if (!this.#isShown) return;
    const { processed, total, status } = job;
    const share = total === 0 ? 0 : processed / total;
    const filled = Math.round(share * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const others = formatUnsuccessfulCounts(job).map((each) => `, ${each}`);
    const line = `${bar} ${Math.floor(share * 100)} %  ${processed} of ${total}${others.join('')}  ${status}`;
    this.#output.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }

  clear(): void {
    if (this.#length > 0) this.#output.write(`\r${' '.repeat(this.#length)}\r`);
    this.#length = 0;
  }
}
