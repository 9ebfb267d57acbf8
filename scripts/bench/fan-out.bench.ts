import type { BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { CONCURRENCY, LATENCY_MS, startFleetAndService } from './sync.bench.ts';

const SITES = Number(process.env['BENCH_FAN_OUT_SITES'] ?? 500);
const POSTS = 10;
const HANGING = 5;
const DEADLINE = 60_000;

interface FanOutResponse {
  data: Record<string, unknown[]>;
  errors: { code: string }[];
}

async function posts(service: BenchService): Promise<{ ms: number; answer: FanOutResponse }> {
  const { authorization } = service;
  const began = performance.now();
  const response = await fetch(`${service.url}/api/v2/posts`, { headers: { authorization } });
  const answer = (await response.json()) as FanOutResponse;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return { ms: performance.now() - began, answer };
}

function checkResponse({ data, errors }: FanOutResponse, failed: number): void {
  const counts = Object.values(data).map((each) => each.length);
  if (counts.length !== SITES - failed || errors.length !== failed || counts.some((count) => count !== POSTS))
    throw new Error(`${counts.length} sites with ${Math.min(...counts)} posts or more, ${errors.length} errors.`);
}

/** Measures `GET /posts` over sites that have an address each, without and with sites that do not answer. */
export async function fanOut(): Promise<void> {
  const { fleet, service, end } = await startFleetAndService(SITES, undefined, undefined, [
    String(POSTS),
    String(HANGING),
  ]);
  try {
    const ideal = (SITES * LATENCY_MS) / CONCURRENCY;
    const ratios: number[] = [];
    let baseline = '';
    // The first round opens the connections.
    for (let round = 0; round < 4; round++) {
      const cpu = service.cpu();
      const { ms, answer } = await posts(service);
      checkResponse(answer, 0);
      const used = (service.cpu() - cpu) * 1000;
      ratios.push(ms / (1.5 * ideal + used));
      baseline = `1.5 x ${ideal.toFixed(0)} ms + ${used.toFixed(0)} ms of CPU`;
    }
    addFigure({
      name: `posts of ${SITES} sites of 50 ms, the first time`,
      value: ratios[0] ?? Number.NaN,
      unit: 'ratio',
      baseline,
    });
    addFigure({
      name: `posts of ${SITES} sites of 50 ms`,
      value: median(ratios.slice(1)),
      unit: 'ratio',
      baseline,
      must: { limit: 1, better: 'lower' },
    });
    process.kill(fleet.pid, 'SIGUSR2');
    const { ms, answer } = await posts(service);
    checkResponse(answer, HANGING);
    addFigure({
      name: `the same with ${HANGING} sites hanging`,
      value: ms / DEADLINE,
      unit: 'ratio',
      baseline: 'one deadline',
      must: { limit: 1.05, better: 'lower' },
    });
  } finally {
    await end();
  }
}
