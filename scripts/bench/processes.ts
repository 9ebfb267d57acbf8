import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

/** Process that is measured. */
export interface RunningProcess {
  url: string;
  pid: number;
  /** Returns the resident memory in MB. */
  rss: () => number;
  /** Returns the used processor seconds. */
  cpu: () => number;
  exited: Promise<unknown>;
  stop: () => Promise<void>;
}

export interface BenchService extends RunningProcess {
  authorization: string;
  env: Record<string, string>;
  /** Returns the error lines of the log. */
  errors: () => string[];
  /** Milliseconds from the start of the process to the first successful response. */
  startMs: number;
}

const TICKS_PER_SECOND = 100;

/** Returns the processor seconds that a process has used. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function trackProcess(child: ChildProcess, url: string): RunningProcess {
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  return {
    url,
    pid,
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    cpu: () => cpuSecondsOf(pid),
    exited,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await Promise.race([exited, sleep(10_000)]);
      child.kill('SIGKILL');
    },
  };
}

/** Starts a script of this folder. It prints one JSON line `{"url": …}` when it is ready. */
export async function startScript(script: string, args: string[] = []): Promise<RunningProcess> {
  const child = spawn(process.execPath, ['--import=tsx', join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return trackProcess(child, (JSON.parse(line) as { url: string }).url);
}

export interface ServiceEnvironment {
  env: Record<string, string>;
  remove: () => Promise<void>;
}

/** Returns the settings of a service. Its data is in a temporary folder or in the given database. */
export async function serviceEnvironment(databaseUrl?: string, within = tmpdir()): Promise<ServiceEnvironment> {
  const folder = await mkdtemp(join(within, 'sitefleet-bench-'));
  const port = await freePort();
  return {
    env: {
      PORT: String(port),
      SITEFLEET_DATA_DIR: folder,
      SITEFLEET_ADMIN_PASSWORD: 'benchbenchbenchbenchbench',
      SITEFLEET_SECRET_KEY: randomBytes(32).toString('base64'),
      SITEFLEET_ALLOWED_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'info',
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Returns the options of Node in the command of `npm start`. */
function startOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

/** Starts the service as `npm start` does. Only the error lines of its log are kept. */
export async function startService(
  env: Record<string, string>,
  nodeOptions: string[] = [],
  entry = 'dist/src/main.js',
): Promise<BenchService> {
  const began = performance.now();
  const options = [...startOptions(), ...nodeOptions];
  const child = spawn(process.execPath, [...options, entry], { env: { ...process.env, ...env } });
  child.stdin.end();
  const errors: string[] = [];
  // Parsing each line would use the processor that makes the load.
  let announce = (): void => undefined;
  const announced = new Promise<void>((resolve) => (announce = resolve));
  // A service that cannot start says why.
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('listens on')) announce();
    if (chunk.includes('"level":"error"') || chunk.includes('"level":"fatal"')) errors.push(chunk.toString('utf8'));
  });
  const url = `http://127.0.0.1:${env['PORT']}`;
  // Waits for the log line, because requests would slow down the start.
  await Promise.race([announced, once(child, 'exit')]);
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}. ${said}${errors.join('')}`);
    if (
      await fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
    await sleep(10);
  }
  const authorization = `Basic ${Buffer.from(`admin:${env['SITEFLEET_ADMIN_PASSWORD']}`).toString('base64')}`;
  return { ...trackProcess(child, url), authorization, env, errors: () => errors, startMs: performance.now() - began };
}
