import { readdir, readFile } from 'node:fs/promises';

/** Reads what Linux tells of its processes; elsewhere there is nothing to read, and no process is found. */

/** All that a process has started, and that these have. */
export async function descendantsOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const pid of await allProcesses()) {
    const parent = await parentOf(pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found: number[] = [];
  for (const open = [root]; open.length > 0;) {
    const below = children.get(open.pop() ?? 0) ?? [];
    found.push(...below);
    open.push(...below);
  }
  return found;
}

/** What processes hold of the memory; what several share is counted once. */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map(proportionalSize));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** False also for one that has ended and that nobody has taken note of yet. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
  return !/\) Z \d+ [^)]*$/.test(await read(`/proc/${pid}/stat`));
}

/** Ends a process, or with a negative number a group of them, at once; one that is gone already is no fault. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** The name of a program stands in brackets, and may hold anything. */
async function parentOf(pid: number): Promise<number | null> {
  const stat = await read(`/proc/${pid}/stat`);
  const [, parent] = /\) \S (\d+) [^)]*$/.exec(stat) ?? [];
  return parent === undefined ? null : Number(parent);
}

async function proportionalSize(pid: number): Promise<number> {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(await read(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

const read = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
