import type { Job } from '../sdk/index.ts';
import type { Output } from './cli-environment.ts';
import { formatValue } from './table.ts';

const WIDTH = 28;

type ShownJob = Pick<Job, 'processed' | 'total' | 'partial' | 'failed' | 'unknown' | 'not_begun' | 'status' | 'rings'>;

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
    const others = formatUnsuccessfulCounts(job).map((each) => `, ${each}`);
    const state = currentRingOf(job) ?? status;
    const text = ` ${Math.floor(share * 100)} %  ${processed} of ${total}${others.join('')}  ${state}`;
    // A line that the terminal wraps cannot be overwritten. On a narrow terminal, the bar becomes shorter, and then the
    // text.
    const room = (this.#output.columns ?? 80) - 1;
    const width = Math.max(0, Math.min(WIDTH, room - text.length));
    const filled = Math.round(share * width);
    const line = ('█'.repeat(filled) + '░'.repeat(width - filled) + text).slice(0, room);
    this.#output.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }

  clear(): void {
    if (this.#length > 0) this.#output.write(`\r${' '.repeat(this.#length)}\r`);
    this.#length = 0;
  }
}

function currentRingOf({ rings = [] }: ShownJob): string | null {
  const at = rings.findIndex(({ state }) => state === 'running');
  return at < 0 ? null : `ring ${formatValue(rings[at]?.name)} (${at + 1} of ${rings.length})`;
}
