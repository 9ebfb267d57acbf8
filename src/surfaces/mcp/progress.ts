export interface ProgressStep {
  progress: number;
  total?: number;
  message: string;
}

const BEAT_MS = 5_000;
/** Small enough not to exceed the next step of a job. */
const BEAT = 0.001;

/** Sends progress notifications. The value increases with each one, as MCP requires. */
export class Progress {
  readonly #tell: (step: ProgressStep) => void;
  #last = 0;

  constructor(tell: (step: ProgressStep) => void) {
    this.#tell = tell;
  }

  /** Reports the number of finished sites. */
  at(done: number, total: number): void {
    if (done > this.#last) this.#say({ progress: done, total, message: `${done} of ${total} sites are done.` });
  }

  /** Sends a notification every 5 seconds until the work has ended. */
  async during<T>(work: Promise<T>): Promise<T> {
    const beats = setInterval(() => this.#say({ progress: this.#last + BEAT, message: 'It is at work.' }), BEAT_MS);
    try {
      return await work;
    } finally {
      clearInterval(beats);
    }
  }

  #say(step: ProgressStep): void {
    this.#last = step.progress;
    this.#tell(step);
  }
}
