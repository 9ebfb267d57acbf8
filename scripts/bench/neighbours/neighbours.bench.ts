import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoDirectory } from '../../../src/demo/package-directory.ts';
import type { BenchDatabase } from '../databases.ts';
import type { BenchService } from '../processes.ts';
import { addFigure } from '../report.ts';
import { startFleetAndService } from '../sync.bench.ts';
import { neighbours, type Neighbour, type NeighbourCall } from './operation-calls.ts';
import { Probe } from './probe.ts';
import * as scale from './scale.ts';
import { seedRecords } from './seed-records.ts';
import { send, settleJob, type ServiceReply } from './service-calls.ts';
import { works } from './works.ts';

const LIMIT_MS = 100;
/** Number of times that a neighbour is measured before it counts as too slow. */
const ROUNDS = 3;
const ALONE_MS = 3_000;
/** Time that the job of a call may run before it is canceled. */
const JOB_MS = 1_500;
const WORST = 10;

interface Measured {
  name: string;
  /** Milliseconds that a trivial GET waited longer than alone. */
  addedMs: number;
  status: number;
  /** Error code of a call that failed. */
  code?: string | undefined;
}

/**
 * Measures how much longer a trivial GET waits beside each operation of the contract and beside the work of the
 * service, with worst-case inputs. `only` selects neighbours by a part of their name.
 */
export async function measureNeighbours(database: BenchDatabase, only: RegExp | null): Promise<void> {
  const directory = await startDemoDirectory();
  const { service, end } = await startFleetAndService(
    scale.SITES,
    await database.url('neighbours'),
    undefined,
    [],
    async (env) => {
      await seedRecords(env);
      // Mails are queued, and nobody receives them.
      Object.assign(env, directory.env, { SMTP_URL: 'smtp://127.0.0.1:9' });
    },
  );
  const url = `${service.url}/api/v2/tags/${scale.QUIET_TAG}`;
  const probe = new Probe({ url, authorization: service.authorization, pid: service.pid });
  try {
    await sleep(1_000);
    await probe.nextWindow();
    await sleep(ALONE_MS);
    const alone = (await probe.nextWindow()).median;
    const bench = new NeighbourBench(service, probe, alone);
    for (const { operation, calls } of neighbours())
      if (only?.test(operation) ?? true) await bench.measureOperation(operation, calls);
    for (const [name, work] of Object.entries(works))
      if (only?.test(name) ?? true) await bench.measureWork(name, () => work(service));
    bench.print(database.name);
  } finally {
    probe.stop();
    await end();
    directory.close();
  }
}

class NeighbourBench {
  readonly #service: BenchService;
  readonly #probe: Probe;
  readonly #alone: number;
  readonly #measured: Measured[] = [];

  constructor(service: BenchService, probe: Probe, alone: number) {
    this.#service = service;
    this.#probe = probe;
    this.#alone = alone;
  }

  async measureOperation(operation: string, calls: Neighbour['calls']): Promise<void> {
    const first = await calls(this.#service, 0);
    for (let at = 0; at < first.length; at++) {
      const rounds: Measured[] = [];
      // Noise of the machine is not repeated, so the best of the rounds counts.
      do {
        const call = rounds.length === 0 ? first[at] : (await calls(this.#service, rounds.length))[at];
        if (call) rounds.push(await this.#measureCall(operation, call));
      } while (rounds.length < ROUNDS && rounds.every(({ addedMs }) => addedMs > LIMIT_MS));
      this.#keepBest(rounds);
    }
  }

  /** A work is not repeated, because it cannot be done twice. */
  async measureWork(name: string, work: () => Promise<number>): Promise<void> {
    let status = 0;
    const addedMs = await this.#addedBeside(async () => (status = await work()));
    this.#keepBest([{ name, addedMs, status }]);
  }

  async #measureCall(operation: string, { name, isDeep, ...call }: NeighbourCall): Promise<Measured> {
    const path = isDeep ? await this.#lastPageOf(call.path) : call.path;
    let reply: ServiceReply | undefined;
    const addedMs = await this.#addedBeside(async () => {
      reply = await send(this.#service, { ...call, path });
      const jobId = reply.json?.['job_id'];
      if (typeof jobId === 'string' && call.method !== 'GET') await settleJob(this.#service, jobId, JOB_MS);
    });
    const { status = 0, json } = reply ?? {};
    return { name: `${operation} (${name})`, addedMs, status, code: json?.['code'] as string | undefined };
  }

  async #lastPageOf(path: string): Promise<string> {
    const { pages } = await send(this.#service, { method: 'GET', path: path.replace(/page=100000/, 'page=1') });
    return path.replace(/page=100000/, `page=${Math.max(1, pages)}`);
  }

  async #addedBeside(work: () => Promise<unknown>): Promise<number> {
    await this.#probe.nextWindow();
    await work();
    const { longest } = await this.#probe.nextWindow();
    return longest - this.#alone;
  }

  #keepBest(rounds: readonly Measured[]): void {
    const successes = rounds.filter(({ status }) => status < 400);
    const [best] = [...(successes.length > 0 ? successes : rounds)].sort((a, b) => a.addedMs - b.addedMs);
    if (!best) return;
    this.#measured.push(best);
    if (best.addedMs > LIMIT_MS) console.log(formatMeasured(best));
  }

  print(database: string): void {
    const sorted = [...this.#measured].sort((a, b) => b.addedMs - a.addedMs);
    const failed = sorted.filter(({ status }) => status >= 400);
    console.log(`\nThe ${WORST} worst neighbours of a GET that takes ${this.#alone.toFixed(1)} ms alone, ${database}:`);
    for (const each of sorted.slice(0, WORST)) console.log(formatMeasured(each));
    for (const each of failed) console.log(formatMeasured(each));
    addFigure({
      name: `calls beside a GET that fail, ${database}`,
      value: failed.length,
      unit: 'lines',
      baseline: `${sorted.length} calls of all operations; a call that fails shows less than its worst`,
      must: { limit: 0, better: 'lower' },
    });
    addFigure({
      name: `wait that the worst neighbour adds to a GET, ${database}`,
      value: sorted[0]?.addedMs ?? 0,
      unit: 'ms',
      baseline: sorted[0]?.name ?? '',
      must: { limit: LIMIT_MS, better: 'lower' },
    });
  }
}

const formatMeasured = ({ name, addedMs, status, code = '' }: Measured): string =>
  `${addedMs.toFixed(0).padStart(7)} ms  ${status}  ${name}  ${code}`.trimEnd();
