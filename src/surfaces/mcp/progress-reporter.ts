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

  constructor(tell: (step: ProgressStep) => void) {
    this.#notify = tell;
  }

  report(done: number, total: number): void {
    if (done > this.#last) this.#send({ progress: done, total, message: `${done} of ${total} sites are finished.` });
  }

  async keepAliveDuring<T>(work: Promise<T>): Promise<T> {
    const beats = setInterval(
      () => this.#send({ progress: this.#last + HEARTBEAT_STEP, message: 'The call is still running.' }),
      HEARTBEAT_MS,
    );
    try {
      return await work;
    } finally {
      clearInterval(beats);
    }
  }

  #send(step: ProgressStep): void {
    this.#last = step.progress;
    this.#notify(step);
  }
}
