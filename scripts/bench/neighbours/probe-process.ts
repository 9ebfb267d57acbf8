/**
 * Calls a URL every few milliseconds, and reports the longest wait of each window. A process of its own, so that the
 * process that calls the neighbours does not delay it.
 */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeTarget, ProbeWindow } from './probe.ts';

const INTERVAL_MS = 3;

const { url, authorization, pid } = JSON.parse(process.argv[2] ?? '') as ProbeTarget;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let waits: number[] = [];
let latest: Promise<unknown> = Promise.resolve();

/** Milliseconds that the main thread of a process was ready to run and had no processor. */
const waitForProcessorMs = (process: number): number =>
  Number(readFileSync(`/proc/${process}/task/${process}/schedstat`, 'utf8').split(' ')[1]) / 1e6;

const call = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { authorization } }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`The probe got ${response.statusCode}.`)),
      );
    });
    request.on('error', reject);
  });

async function measure(): Promise<void> {
  const waitsNow = (): number[] => [pid, process.pid].map(waitForProcessorMs);
  const [before, began] = [waitsNow(), performance.now()];
  await call();
  const took = performance.now() - began;
  // The service and this process can wait at the same time, so the longer wait is subtracted, not the sum.
  waits.push(took - Math.max(...waitsNow().map((wait, index) => wait - (before[index] ?? 0))));
}

process.on('message', async () => {
  // A call that is under way belongs to the window that it began in.
  await latest;
  const sorted = [...waits].sort((a, b) => a - b);
  const window: ProbeWindow = { longest: sorted.at(-1) ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
  waits = [];
  process.send?.(window);
});

for (;;) {
  latest = measure();
  await latest;
  await sleep(INTERVAL_MS);
}
