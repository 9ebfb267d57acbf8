/** What a client is told while it waits. */
export interface ProgressStep {
  progress: number;
  total?: number;
  message: string;
}

const BEAT_MS = 5_000;
/** So little that no step of a job is passed by. */
const BEAT = 0.001;

/** Tells a client how far its call is; every word goes further than the one before, as the protocol asks. */
export class Progress {
  readonly #tell: (step: ProgressStep) => void;
  #last = 0;

  constructor(tell: (step: ProgressStep) => void) {
    this.#tell = tell;
  }

  /** So many of so many. */
  at(done: number, total: number): void {
    if (done > this.#last) this.#say({ progress: done, total, message: `${done} of ${total} sites are done.` });
  }

  /** Says now and then that the work goes on, until it is over. */
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
