import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { built } from './built.ts';

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
  const child = spawn(process.execPath, [await built(entry), ...args], {
    env: { ...process.env, DATABASE_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (ended.out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (ended.err += chunk.toString('utf8')));
  [ended.code] = (await once(child, 'close')) as [number | null];
  return ended;
}
