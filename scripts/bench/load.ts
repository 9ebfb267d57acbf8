import autocannon from 'autocannon';
import { median } from './report.ts';

export interface LoadTarget {
  url: string;
  authorization?: string;
  /** JSON body of a POST request. Without it the request is a GET. */
  body?: object;
  headers?: Record<string, string>;
}

const CONNECTIONS = 20;

async function measureRate({ url, authorization, body, headers }: LoadTarget, seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    headers: {
      ...(authorization && { authorization }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} errors.`);
  return result.requests.average;
}

/** Returns the requests per second of each target relative to the first, as medians of rounds with all targets. */
export async function measureRatios(
  targets: LoadTarget[],
  { rounds = 3, seconds = 3 } = {},
): Promise<{ ratios: number[]; rates: number[] }> {
  for (const target of targets) await measureRate(target, 2);
  const rows: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    const row: number[] = [];
    for (const target of targets) row.push(await measureRate(target, seconds));
    rows.push(row);
  }
  return {
    ratios: targets.map((_, index) => median(rows.map((row) => (row[index] ?? 0) / (row[0] ?? 1)))),
    rates: targets.map((_, index) => median(rows.map((row) => row[index] ?? 0))),
  };
}
