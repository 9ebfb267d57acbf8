import { createClient } from '../../src/sdk/index.ts';
import { startScript } from './processes.ts';
import { addFigure, median } from './report.ts';

const CALLS = 400;
const ROUNDS = 7;
const KEY = 'bench';

/** Measures the cost of the SDK: calls one after another to handlers that return a constant, compared with `fetch`. */
export async function sdk(): Promise<void> {
  const service = await startScript('constant-service.ts');
  try {
    const fleet = createClient({ url: service.url, key: KEY });
    const url = `${service.url}/abilities/v1/svc/count-sites-v1/run`;
    const headers = { authorization: `Bearer ${KEY}` };
    const raw = async (): Promise<unknown> => (await fetch(url, { headers })).json();
    const bySdk = (): Promise<unknown> => fleet.ability('count-sites-v1');
    for (const call of [raw, bySdk]) await msOf(call);
    const rounds: number[] = [];
    const costs: number[] = [];
    // Both take turns, so that other work of the machine affects both.
    for (let round = 0; round < ROUNDS; round++) {
      const [plain, wrapped] = [await msOf(raw), await msOf(bySdk)];
      rounds.push(wrapped / plain);
      costs.push((wrapped - plain) / CALLS);
    }
    addFigure({
      name: 'call through the SDK',
      value: median(rounds),
      unit: 'ratio',
      baseline: 'fetch and JSON.parse',
      must: { limit: 1.5, better: 'lower' },
      aim: 1.25,
    });
    addFigure({
      name: 'what the SDK adds to a call',
      value: median(costs),
      unit: 'ms',
      baseline: 'fetch and JSON.parse',
    });
  } finally {
    await service.stop();
  }
}

async function msOf(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let count = 0; count < CALLS; count++) await call();
  return performance.now() - began;
}
