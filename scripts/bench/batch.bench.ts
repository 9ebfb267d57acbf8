import { Agent, request } from 'node:http';
import type { BenchService } from './processes.ts';
import { addFigure, median } from './report.ts';
import { startFleetAndService } from './sync.bench.ts';

const SITES = 20;
const ROUNDS = 5;

type Item = [group: string, action: string, item: unknown, method: string, path: string];

/** Returns a hundred items of all kinds. Added items have a new name each time. */
function items(mark: string): Item[] {
  const names = Array.from({ length: 25 }, (_, n) => `${mark} ${n}`);
  const sites = Array.from({ length: SITES }, (_, n) => n + 1);
  return [
    ...names.map((name): Item => ['tags', 'create', { name }, 'POST', '/tags/add']),
    ...names.map((name): Item => ['clients', 'create', { name }, 'POST', '/clients/add']),
    ...sites.map((id): Item => ['sites', 'plugins', id, 'GET', `/sites/${id}/plugins`]),
    ...sites.map((id): Item => ['sites', 'security', id, 'GET', `/sites/${id}/security`]),
    ...sites.slice(0, 10).map((id): Item => ['sites', 'themes', id, 'GET', `/sites/${id}/themes`]),
  ];
}

function bodyOf(all: readonly Item[]): Record<string, Record<string, unknown[]>> {
  const body: Record<string, Record<string, unknown[]>> = {};
  for (const [group, action, item] of all) ((body[group] ??= {})[action] ??= []).push(item);
  return body;
}

/** Compares `POST /batch` of a hundred items with the same items one after another over one connection. */
export async function batch(): Promise<void> {
  const { service, end } = await startFleetAndService(SITES);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method: string, path: string, body: unknown): Promise<string> =>
    sendRequest(service, agent, method, path, body);
  try {
    const ratios: number[] = [];
    let baseline = '';
    for (let round = 0; round <= ROUNDS; round++) {
      const single = items(`one ${round}`);
      const began = performance.now();
      for (const [group, action, item, method, path] of single)
        await send(method, path, action === 'create' && group !== 'sites' ? item : undefined);
      const alone = performance.now() - began;
      const together = performance.now();
      const answer = await send('POST', '/batch', bodyOf(items(`batch ${round}`)));
      const taken = performance.now() - together;
      if (answer.includes('"error"')) throw new Error(answer.slice(0, 500));
      baseline = `${alone.toFixed(0)} ms one by one`;
      // The first round is a warm-up.
      if (round > 0) ratios.push(taken / alone);
    }
    const must = { limit: 1, better: 'lower' as const };
    addFigure({ name: 'a batch of 100 mixed items', value: median(ratios), unit: 'ratio', baseline, must, aim: 0.5 });
  } finally {
    agent.destroy();
    await end();
  }
}

function sendRequest(
  service: BenchService,
  agent: Agent,
  method: string,
  path: string,
  body: unknown,
): Promise<string> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      `${service.url}/api/v2${path}`,
      {
        method,
        agent,
        headers: {
          authorization: service.authorization,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const whole = Buffer.concat(chunks).toString('utf8');
          if (answer.statusCode === 200) resolve(whole);
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${whole.slice(0, 300)}`));
        });
      },
    );
    call.on('error', reject);
    call.end(text);
  });
}
