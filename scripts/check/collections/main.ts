/**
 * Runs all reads of the generated collections with the official runners of Postman (newman) and Bruno against a demo,
 * and fails if a request fails. Installs the runners into a temporary folder; they are too large for the repository.
 *
 *   npx tsx scripts/check/collections/main.ts
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';
import { runBruno, runNewman, type RunnerResult } from './runners.ts';

const RUNNERS = ['newman@6.2.2', '@usebruno/cli@4.1.0'];

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'sitefleet-collections-'));
let demo: ChildProcess | undefined;
try {
  const port = await freePort();
  const [apiKey] = await Promise.all([
    startDemo(port),
    run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...RUNNERS]),
    run('npx', ['tsx', 'scripts/build/collections/main.ts', '--out', join(folder, 'collections')]),
  ]);
  const baseUrl = `http://127.0.0.1:${port}`;
  await fixVulnerability(baseUrl, apiKey);
  const values = { baseUrl, apiKey, job: await newestJob(baseUrl, apiKey) };
  report('newman', await runNewman(folder, values));
  report('Bruno', await runBruno(folder, values));
} finally {
  demo?.kill();
  await rm(folder, { recursive: true, force: true });
}

/** Returns the API key that the demo prints when it is ready. */
async function startDemo(port: number): Promise<string> {
  const child = spawn(process.execPath, ['--import=tsx', 'src/client-cli/main.ts', 'demo', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  demo = child;
  let printed = '';
  for await (const text of child.stdout) {
    printed += String(text);
    const [key] = /sf_[\w-]{43}/.exec(printed) ?? [];
    if (key === undefined) continue;
    child.stdout.resume();
    return key;
  }
  throw new Error('The demo ended before it was ready.');
}

/** The demo fixes no vulnerability by itself. Its feed is read after its start. */
async function fixVulnerability(baseUrl: string, apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  for (let attempt = 0; attempt < 60; attempt++) {
    const address = `${baseUrl}/api/v2/vulnerabilities/fixes/run`;
    const response = await fetch(address, { method: 'POST', headers, body: '{}' });
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length > 0) return;
    await sleep(1_000);
  }
  throw new Error('The demo has no vulnerability to fix.');
}

/** Other records have the IDs that the variables have by default. */
async function newestJob(baseUrl: string, apiKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}/api/v2/jobs?per_page=1`, { headers });
  const { data } = (await response.json()) as { data: { job_id: string }[] };
  if (!data[0]) throw new Error('The demo has no job.');
  return data[0].job_id;
}

function report(runner: string, { requests, failures }: RunnerResult): void {
  for (const failure of failures) console.error(`${runner}: ${failure}`);
  console.log(`${runner}: ${requests} reads, ${failures.length} failed.`);
  if (requests === 0 || failures.length > 0) process.exitCode = 1;
}
