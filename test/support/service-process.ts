import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  serviceEnvironment,
  startService,
  type Service,
  type ServiceEnvironment,
} from '../../scripts/bench/processes.ts';
import { inMemory } from '../../scripts/support/memory-folder.ts';
import { built } from './built.ts';
import { SHORT_LIVED } from './short-lived.ts';

/** What a service of a test is started with; its data outlive the process, and no disk is waited for. */
export async function testEnvironment(databaseUrl?: string): Promise<ServiceEnvironment> {
  return serviceEnvironment(databaseUrl, await inMemory());
}

/** Starts the service in a process of its own. */
export async function startBuilt(env: Record<string, string>): Promise<Service> {
  return startService(env, SHORT_LIVED, await built('main'));
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs an entry of the product in a process of its own, to its end. */
export async function runToEnd(
  entry: Parameters<typeof built>[0],
  args: string[],
  env: Record<string, string>,
): Promise<Ended> {
  const child = spawn(process.execPath, [...SHORT_LIVED, await built(entry), ...args], {
    env: { ...process.env, DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (ended.out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (ended.err += chunk.toString('utf8')));
  [ended.code] = (await once(child, 'close')) as [number | null];
  return ended;
}
