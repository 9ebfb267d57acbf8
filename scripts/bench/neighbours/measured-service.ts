import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type BenchService } from '../processes.ts';
import { Probe, type ProbeWindow } from './probe.ts';
import * as scale from './scale.ts';

const WARM_UP_MS = 1_000;
const ALONE_MS = 3_000;

/** Service with a probe, which can be started again with the same data. */
export class MeasuredService {
  #service: BenchService;
  #probe: Probe;
  #alone: ProbeWindow = { median: 0, longest: 0 };

  private constructor(service: BenchService) {
    this.#service = service;
    this.#probe = probeOf(service);
  }

  /** Returns the service after the wait of the probe alone was measured. */
  static async of(service: BenchService): Promise<MeasuredService> {
    const measured = new MeasuredService(service);
    await measured.#warmUp();
    await sleep(ALONE_MS);
    measured.#alone = await measured.#probe.nextWindow();
    return measured;
  }

  get service(): BenchService {
    return this.#service;
  }

  /** Milliseconds that a trivial GET takes if the service does nothing else. */
  get alone(): ProbeWindow {
    return this.#alone;
  }

  /** Returns the milliseconds that a trivial GET waits longer beside the work than alone. */
  async addedBeside(work: () => Promise<unknown>): Promise<number> {
    await this.#probe.nextWindow();
    await work();
    const { longest } = await this.#probe.nextWindow();
    return longest - this.#alone.median;
  }

  /** Starts the service again, so that the next call is the first one of its process. */
  async restart(): Promise<void> {
    await this.stop();
    this.#service = await startService(this.#service.env);
    this.#probe = probeOf(this.#service);
    await this.#warmUp();
  }

  async stop(): Promise<void> {
    this.#probe.stop();
    await this.#service.stop();
  }

  async #warmUp(): Promise<void> {
    await sleep(WARM_UP_MS);
    await this.#probe.nextWindow();
  }
}

function probeOf({ url, authorization, pid }: BenchService): Probe {
  return new Probe({ url: `${url}/api/v2/tags/${scale.QUIET_TAG}`, authorization, pid });
}
