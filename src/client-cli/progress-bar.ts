import type { Job } from '../sdk/index.ts';
import type { Output } from './cli-environment.ts';

const WIDTH = 28;

/** Progress bar. It is shown only on a terminal, because a log file would contain each state of the bar. */
export class ProgressBar {
  readonly #output: Output;
  readonly #isShown: boolean;
  #length = 0;

  constructor(output: Output, isWanted: boolean) {
    this.#output = output;
    this.#isShown = isWanted && output.isTerminal;
  }

  show({ processed, total, failed, status }: Pick<Job, 'processed' | 'total' | 'failed' | 'status'>): void {
    if (!this.#isShown) return;
    const share = total === 0 ? 0 : processed / total;
    const filled = Math.round(share * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const failures = failed > 0 ? `, ${failed} failed` : '';
    const line = `${bar} ${Math.floor(share * 100)} %  ${processed} of ${total}${failures}  ${status}`;
    this.#output.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }

  clear(): void {
    if (this.#length > 0) this.#output.write(`\r${' '.repeat(this.#length)}\r`);
    this.#length = 0;
  }
}
