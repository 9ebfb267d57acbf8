export interface ProgressStep {
  progress: number;
  total?: number;
  message: string;
}

const HEARTBEAT_MS = 5_000;
/** Progress that a heartbeat adds. It is small enough not to exceed the next step of a job. */
const HEARTBEAT_STEP = 0.001;

/** Reports the progress of a call to the client. MCP requires that the value increases with each notification. */
export class ProgressReporter {
  readonly #notify: (step: ProgressStep) => void;
  #last = 0;
  #total: number | undefined;

  constructor(tell: (step: ProgressStep) => void) {
    this.#notify = tell;
  }

  /** The first report tells the total, also if no item is finished yet. */
  report(done: number, total: number): void {
    if (done <= this.#last && total === this.#total) return;
    this.#total = total;
    this.#send(Math.max(done, this.#last + HEARTBEAT_STEP), `${done} of ${total} items are finished.`);
  }

  async keepAliveDuring<T>(work: Promise<T>): Promise<T> {
    const beat = (): void => this.#send(this.#last + HEARTBEAT_STEP, 'The call is still running.');
    this.#send(this.#last, 'The call has started.');
    const beats = setInterval(beat, HEARTBEAT_MS);
    try {
      return await work;
    } finally {
      clearInterval(beats);
    }
  }

  #send(progress: number, message: string): void {
    this.#last = progress;
    this.#notify({ progress, ...(this.#total !== undefined && { total: this.#total }), message });
  }
}
