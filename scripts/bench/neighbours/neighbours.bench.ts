import { startDemoDirectory } from '../../../src/demo/package-directory.ts';
import type { BenchDatabase } from '../databases.ts';
import type { BenchService } from '../processes.ts';
import { addFigure } from '../report.ts';
import { startFleetAndService } from '../sync.bench.ts';
import { addLimitedKeys, type LimitedKey } from './limited-keys.ts';
import { MeasuredService } from './measured-service.ts';
import { LARGEST_PAGE, neighbours, type Neighbour, type NeighbourCall } from './operation-calls.ts';
import * as scale from './scale.ts';
import { seedQuietTag, seedRecords } from './seed-records.ts';
import { isSuccess, send, settleJob, type ServiceCall } from './service-calls.ts';
import { repeatableWorks, singleWorks, syncAllSites, type Work, type WorkResult } from './works.ts';

const LIMIT_MS = 100;
/** Number of times that a call is measured before it counts as too slow: as the first one, and after it. */
const ROUNDS = 3;
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

/** Returns the work of a round. Each round changes other records. */
type Attempt = (round: number) => Promise<Work | null>;

/**
 * Measures how much longer a trivial GET waits beside each operation of the contract and beside the work of the
 * service, with worst-case inputs. `only` selects neighbours by a part of their name.
 */
export async function measureNeighbours(database: BenchDatabase, only: RegExp | null): Promise<void> {
  const isWanted = (name: string): boolean => only?.test(name) ?? true;
  const [began, bench] = [performance.now(), new NeighbourBench()];
  await measureOperationsAndWorks(bench, database, isWanted);
  const wholeSync = `sync of ${scale.SYNCED_SITES} sites to its end`;
  if (isWanted(wholeSync)) await measureWholeSync(bench, database, wholeSync);
  bench.print(database.name, performance.now() - began);
}

async function measureOperationsAndWorks(
  bench: NeighbourBench,
  database: BenchDatabase,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const directory = await startDemoDirectory();
  const seed = async (env: Record<string, string>): Promise<void> => {
    await seedRecords(env);
    // Mails are queued, and nobody receives them.
    Object.assign(env, directory.env, { SMTP_URL: 'smtp://127.0.0.1:9' });
  };
  const fleet = await startFleetAndService(scale.SITES, await database.url('neighbours'), undefined, [], seed);
  const measured = await MeasuredService.of(fleet.service);
  try {
    const keys = await addLimitedKeys(measured.service);
    bench.begin(measured);
    for (const { operation, calls } of await neighbours())
      if (isWanted(operation)) await bench.measureOperation(operation, calls, keys);
    for (const [name, work] of Object.entries(repeatableWorks))
      if (isWanted(name)) await bench.measureRepeatedly(name, () => Promise.resolve(work));
    for (const [name, work] of Object.entries(singleWorks)) if (isWanted(name)) await bench.measureOnce(name, work);
  } finally {
    await measured.stop();
    await fleet.end();
    directory.close();
  }
}

/** A fleet of its own, because earlier calls disconnect sites of the other one. */
async function measureWholeSync(bench: NeighbourBench, database: BenchDatabase, name: string): Promise<void> {
  const url = await database.url('whole-sync');
  const fleet = await startFleetAndService(scale.SYNCED_SITES, url, undefined, [], seedQuietTag);
  const measured = await MeasuredService.of(fleet.service);
  try {
    bench.begin(measured);
    await bench.measureOnce(name, syncAllSites);
  } finally {
    await measured.stop();
    await fleet.end();
  }
}

class NeighbourBench {
  readonly #rows: Measured[] = [];
  readonly #alone: string[] = [];
  #measured: MeasuredService | null = null;

  begin(measured: MeasuredService): void {
    this.#measured = measured;
    const { median, longest } = measured.alone;
    this.#alone.push(`${median.toFixed(1)} ms alone (at most ${longest.toFixed(1)})`);
  }

  async measureOperation(operation: string, calls: Neighbour['calls'], keys: readonly LimitedKey[]): Promise<void> {
    const { service } = this.#current();
    const first = await calls({ service, keys }, 0);
    for (const [at, { name }] of first.entries())
      await this.measureRepeatedly(`${operation} (${name})`, async (round) => {
        const { service: current } = this.#current();
        const call = (round === 0 ? first : await calls({ service: current, keys }, round))[at];
        return call ? workOf(current, call) : null;
      });
  }

  /**
   * The first call of a process and later calls count separately, because code that is loaded or compiled at the first
   * call delays others once per process. A wait above the limit is repeated: the first call in a fresh process, later
   * calls in the same one. Each counts with its shortest wait: the cause in the service repeats, and noise of the
   * machine does not.
   */
  async measureRepeatedly(name: string, attempt: Attempt): Promise<void> {
    const first = await this.#attempt(name, attempt, 0);
    if (!first) return;
    if (first.addedMs <= LIMIT_MS) return this.#keepBest([first]);
    const later: Measured[] = [];
    for (let round = 1; round < ROUNDS && later.every(isTooSlow); round++)
      push(later, await this.#attempt(name, attempt, round));
    this.#keepBest(later);
    const firsts = [first];
    for (let round = ROUNDS; round < 2 * ROUNDS - 1 && firsts.every(isTooSlow); round++) {
      await this.#current().restart();
      push(firsts, await this.#attempt(name, attempt, round));
    }
    this.#keepBest(firsts.map((each) => ({ ...each, name: `${name}, first` })));
  }

  /** For work that cannot be done twice. */
  async measureOnce(name: string, work: Work): Promise<void> {
    push(this.#rows, await this.#attempt(name, () => Promise.resolve(work), 0));
  }

  async #attempt(name: string, attempt: Attempt, round: number): Promise<Measured | null> {
    const work = await attempt(round);
    if (!work) return null;
    const measured = this.#current();
    let result: WorkResult = { status: 0, json: null };
    const addedMs = await measured.addedBeside(async () => (result = await work(measured.service)));
    const { status, json } = result;
    return { name, addedMs, status, code: isSuccess({ status }) ? undefined : (json?.['code'] as string | undefined) };
  }

  #keepBest(rounds: readonly Measured[]): void {
    const successes = rounds.filter(isSuccess);
    const [best] = [...(successes.length > 0 ? successes : rounds)].sort((a, b) => a.addedMs - b.addedMs);
    if (!best) return;
    this.#rows.push(best);
    if (isTooSlow(best)) console.log(formatMeasured(best));
  }

  #current(): MeasuredService {
    if (!this.#measured) throw new Error('No service is measured.');
    return this.#measured;
  }

  print(database: string, tookMs: number): void {
    const sorted = [...this.#rows].sort((a, b) => b.addedMs - a.addedMs);
    const failed = sorted.filter((row) => !isSuccess(row));
    const minutes = (tookMs / 60_000).toFixed(1);
    console.log(
      `\nThe ${WORST} worst neighbours of a GET that takes ${this.#alone.join(', ')}, ${database}, ${minutes} min:`,
    );
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

async function workOf(service: BenchService, { name: _name, isDeep, ...call }: NeighbourCall): Promise<Work> {
  const path = isDeep ? await lastPageOf(service, call) : call.path;
  return async (measured) => {
    const reply = await send(measured, { ...call, path });
    const jobId = reply.json?.['job_id'];
    if (typeof jobId === 'string' && call.method !== 'GET') await settleJob(measured, jobId, JOB_MS);
    return reply;
  };
}

async function lastPageOf(service: BenchService, { path, authorization }: ServiceCall): Promise<string> {
  const firstPage = path.replace(`page=${LARGEST_PAGE}`, 'page=1');
  const { pages } = await send(service, { method: 'GET', path: firstPage, authorization });
  return path.replace(`page=${LARGEST_PAGE}`, `page=${Math.max(1, pages)}`);
}

function push<Item>(items: Item[], item: Item | null): void {
  if (item) items.push(item);
}

const isTooSlow = ({ addedMs }: Measured): boolean => addedMs > LIMIT_MS;

const formatMeasured = ({ name, addedMs, status, code = '' }: Measured): string =>
  `${addedMs.toFixed(0).padStart(7)} ms  ${status}  ${name}  ${code}`.trimEnd();
