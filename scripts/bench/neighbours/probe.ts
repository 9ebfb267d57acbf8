import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface ProbeTarget {
  url: string;
  authorization: string;
  /** Process of the service. Its wait for a processor is subtracted, because other processes cause it. */
  pid: number;
}

/** Milliseconds that the calls of a window waited. */
export interface ProbeWindow {
  longest: number;
  median: number;
}

export class Probe {
  readonly #process: ChildProcess;

  constructor(target: ProbeTarget) {
    const script = join(import.meta.dirname, 'probe-process.ts');
    this.#process = fork(script, [JSON.stringify(target)], { execArgv: ['--import=tsx'] });
  }

  /** Ends the current window, and begins the next one. */
  async nextWindow(): Promise<ProbeWindow> {
    this.#process.send('next');
    const [window] = (await once(this.#process, 'message')) as [ProbeWindow];
    return window;
  }

  stop(): void {
    this.#process.kill();
  }
}
