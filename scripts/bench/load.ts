import autocannon, { type Request } from 'autocannon';
import type { RunningProcess } from './processes.ts';
import { median } from './report.ts';

export interface Call {
  path: string;
  /** JSON body of a POST request. Without it the request is a GET. */
  body?: object;
}

export interface LoadTarget {
  /** Process whose processor time is measured. */
  process: Pick<RunningProcess, 'cpu'>;
  url: string;
  authorization?: string;
  /** JSON body of a POST request. Without it the request is a GET. */
  body?: object;
  headers?: Record<string, string>;
  /** Returns a call by its number. Without it, all calls are those of `url` and `body`. */
  callAt?: (number: number) => Call;
}

export interface Load {
  /** Microseconds of processor time per call. */
  cost: number;
  /** Calls per second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
  calls: number;
}

export interface ComparedLoad extends Omit<Load, 'calls'> {
  /** Processor time of the first target divided by that of this one. Above 1, this one is cheaper. */
  ratio: number;
}

const CONNECTIONS = 20;

/** Calls a target for some seconds, with 20 calls at once. */
export async function loadFor(target: LoadTarget, seconds: number): Promise<Load> {
  const { process: measured, url, authorization, body, headers, callAt } = target;
  const before = measured.cpu();
  let number = 0;
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    headers: {
      ...(authorization && { authorization }),
      ...((body || callAt) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    ...(callAt
      ? { requests: [{ setupRequest: (request: Request) => ({ ...request, ...requestOf(callAt(number++)) }) }] }
      : {}),
  });
  const used = measured.cpu() - before;
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} errors.`);
  const calls = result.requests.total;
  return { cost: (used * 1_000_000) / calls, rate: result.requests.average, p99: result.latency.p99, calls };
}

const requestOf = ({ path, body }: Call): Request =>
  body ? { method: 'POST', path, body: JSON.stringify(body) } : { method: 'GET', path };

/**
 * Compares the processor time per call of the targets with that of the first, as medians of rounds with all targets.
 * The throughput of one commit moves by a tenth between runs, and its processor time by a twentieth.
 */
export async function compareLoads(targets: LoadTarget[], { rounds = 3, seconds = 3 } = {}): Promise<ComparedLoad[]> {
  for (const target of targets) await loadFor(target, 2);
  const rows: Load[][] = [];
  for (let round = 0; round < rounds; round++) {
    const row: Load[] = [];
    for (const target of targets) row.push(await loadFor(target, seconds));
    rows.push(row);
  }
  return targets.map((_, index) => {
    const medianOf = (value: (load: Load, first: Load) => number): number =>
      median(rows.map((row) => value(row[index] as Load, row[0] as Load)));
    return {
      ratio: medianOf((load, first) => first.cost / load.cost),
      cost: medianOf(({ cost }) => cost),
      rate: medianOf(({ rate }) => rate),
      p99: medianOf(({ p99 }) => p99),
    };
  });
}

/** Returns a baseline with its processor time and throughput, and those of the load beside it. */
export const describeLoads = (baseline: string, first: ComparedLoad, load: ComparedLoad): string =>
  `${baseline}: ${describeLoad(first)}; here ${describeLoad(load)}`;

const describeLoad = ({ cost, rate }: ComparedLoad): string => `${cost.toFixed(0)} µs, ${rate.toFixed(0)}/s`;
