import type { Service } from './processes.ts';
import { add, median } from './report.ts';
import { AT_ONCE, LATENCY, world } from './sync.bench.ts';

const SITES = Number(process.env['BENCH_FAN_OUT_SITES'] ?? 500);
const POSTS = 10;
const HANGING = 5;
const DEADLINE = 60_000;

interface Across {
  data: Record<string, unknown[]>;
  errors: { code: string }[];
}

async function posts(service: Service): Promise<{ ms: number; answer: Across }> {
  const { authorization } = service;
  const began = performance.now();
  const response = await fetch(`${service.url}/api/v2/posts`, { headers: { authorization } });
  const answer = (await response.json()) as Across;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return { ms: performance.now() - began, answer };
}

function expect({ data, errors }: Across, failed: number): void {
  const counts = Object.values(data).map((each) => each.length);
  if (counts.length !== SITES - failed || errors.length !== failed || counts.some((count) => count !== POSTS))
    throw new Error(`${counts.length} sites with ${Math.min(...counts)} posts or more, ${errors.length} errors.`);
}

/** `GET /posts` over sites with an address each: as the network allows, and with some of them hanging. */
export async function fanOut(): Promise<void> {
  const { fleet, service, end } = await world(SITES, undefined, undefined, [String(POSTS), String(HANGING)]);
  try {
    const ideal = (SITES * LATENCY) / AT_ONCE;
    const ratios: number[] = [];
    let baseline = '';
    // The first one opens the connections.
    for (let round = 0; round < 4; round++) {
      const cpu = service.cpu();
      const { ms, answer } = await posts(service);
      expect(answer, 0);
      const used = (service.cpu() - cpu) * 1000;
      ratios.push(ms / (1.5 * ideal + used));
      baseline = `1.5 x ${ideal.toFixed(0)} ms + ${used.toFixed(0)} ms of CPU`;
    }
    add({
      name: `posts of ${SITES} sites of 50 ms, the first time`,
      value: ratios[0] ?? Number.NaN,
      unit: 'ratio',
      baseline,
    });
    add({
      name: `posts of ${SITES} sites of 50 ms`,
      value: median(ratios.slice(1)),
      unit: 'ratio',
      baseline,
      must: { limit: 1, better: 'lower' },
    });
    process.kill(fleet.pid, 'SIGUSR2');
    const { ms, answer } = await posts(service);
    expect(answer, HANGING);
    add({
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
