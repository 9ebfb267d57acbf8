import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Durations of the last full run on this machine, in milliseconds, by file and database. */
export type Times = Readonly<Record<string, number>>;

interface QueuedFile {
  file: string;
  name: string;
}

const RECORD = 'node_modules/.cache/sitefleet-test-times.json';

export const keyOf = ({ file, name }: QueuedFile): string => `${file} ${name}`;

export async function readTimes(record = RECORD): Promise<Times> {
  return JSON.parse(await readFile(record, 'utf8').catch(() => '{}')) as Times;
}

/** Stores the durations of a run. Each line has the milliseconds and the key of a file. */
export async function storeTimes(lines: string, record = RECORD): Promise<void> {
  const times = [...lines.matchAll(/^(\d+) (.+)$/gm)].map(([, ms, key = '']) => [key, Number(ms)] as const);
  if (times.length === 0) return;
  await mkdir(dirname(record), { recursive: true });
  await writeFile(record, JSON.stringify({ ...(await readTimes(record)), ...Object.fromEntries(times) }, null, 1));
}

/** Sorts the longest first, so that no process is left with a long file at the end. Files without a time are first. */
export function longestFirst<T extends QueuedFile>(queue: readonly T[], times: Times): T[] {
  const timeOf = (each: T): number => times[keyOf(each)] ?? Number.MAX_VALUE;
  return [...queue].sort((one, other) => timeOf(other) - timeOf(one));
}
