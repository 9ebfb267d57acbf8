import { readdirSync, readFileSync } from 'node:fs';

/**
 * Reads what Linux tells of its processes; elsewhere there is nothing to read, and no process is found. It is read at
 * once: no disk is behind it, and to wait for each of hundreds of files costs ten times as much as to read them.
 */

/** All that a process has started, and that these have. */
export function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of allProcesses()) {
    const parent = parentOf(pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const descendants: number[] = [];
  for (const open = [root]; open.length > 0;) {
    const below = children.get(open.pop() ?? 0) ?? [];
    descendants.push(...below);
    open.push(...below);
  }
  return descendants;
}

/**
 * What processes hold of the memory; what several share is counted once where it matters. The system adds that up page
 * by page, so that it is asked only when they might hold more than `limit`; up to there the answer may be too high.
 */
export function memoryOf(pids: readonly number[], limit: number): number {
  const resident = sumOf(pids, (pid) => bytesIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m));
  if (resident <= limit) return resident;
  return sumOf(pids, (pid) => bytesIn(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m));
}

/** False also for one that has ended and that nobody has taken note of yet. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
  return !/\) Z \d+ [^)]*$/.test(read(`/proc/${pid}/stat`));
}

/** Ends a process, or with a negative number a group of them, at once; one that is gone already is no fault. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

function allProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The name of a program stands in brackets, and may hold anything. */
function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  const [, parent] = /\) \S (\d+) [^)]*$/.exec(stat) ?? [];
  return parent === undefined ? null : Number(parent);
}

/** As bytes. */
function bytesIn(file: string, line: RegExp): number {
  const [, kilobytes] = line.exec(read(file)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

const sumOf = (pids: readonly number[], size: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + size(pid), 0);

/** Nothing where the process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
