import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  serviceEnvironment,
  startService,
  type BenchService,
  type ServiceEnvironment,
} from '../../scripts/bench/processes.ts';
import { createMemoryFolder } from '../../scripts/support/memory-folder.ts';
import { builtEntry } from './built-entry.ts';
import { SHORT_PROCESS_OPTIONS } from './short-lived.ts';

/** Returns the settings of a service. Its data is in memory, and remains after the end of the process. */
export async function testEnvironment(databaseUrl?: string): Promise<ServiceEnvironment> {
  return serviceEnvironment(databaseUrl, await createMemoryFolder());
}

/** Starts the service in a process of its own. */
export async function startBuiltService(
  env: Record<string, string>,
  entry: 'main' | 'main-without-https' = 'main',
): Promise<BenchService> {
  return startService(env, SHORT_PROCESS_OPTIONS, await builtEntry(entry));
}

export interface ProcessResult {
  code: number | null;
  out: string;
  err: string;
}

/** Runs an entry of the product in a process of its own until it ends. */
export async function runEntry(
  entry: Parameters<typeof builtEntry>[0],
  args: string[],
  env: Record<string, string>,
): Promise<ProcessResult> {
  const child = spawn(process.execPath, [...SHORT_PROCESS_OPTIONS, await builtEntry(entry), ...args], {
    env: { ...process.env, DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: ProcessResult = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (ended.out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (ended.err += chunk.toString('utf8')));
  [ended.code] = (await once(child, 'close')) as [number | null];
  return ended;
}
