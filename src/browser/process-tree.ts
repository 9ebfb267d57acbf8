import { readdirSync, readFileSync } from 'node:fs';

/**
 * Returns the IDs of all descendants of a process. Reads Linux's `/proc`; on other systems, no process is found. Files
 * are read synchronously: `/proc` is not on a disk, and asynchronous reads of hundreds of files take ten times as long.
 */

export function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of allProcesses()) {
    const parent = parentPidOf(pid);
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
 * Returns the memory of the processes in bytes. The fast sum counts shared memory once per process, so it can be too
 * high. If it exceeds `limit`, the exact but slow sum (Pss) is returned instead, for which the kernel visits every page
 * of memory.
 */
export function memoryOf(pids: readonly number[], limit: number): number {
  const resident = sumBytes(pids, (pid) => readProcBytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m));
  if (resident <= limit) return resident;
  return sumBytes(pids, (pid) => readProcBytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m));
}

/** True if the process runs. False for a zombie: it has exited, but its parent has not read its exit status. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
  return !/\) Z \d+ [^)]*$/.test(readFileOrEmpty(`/proc/${pid}/stat`));
}

export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already exited.
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

/** The pattern begins at the last bracket, because the program name in brackets can contain any character. */
function parentPidOf(pid: number): number | null {
  const stat = readFileOrEmpty(`/proc/${pid}/stat`);
  const [, parent] = /\) \S (\d+) [^)]*$/.exec(stat) ?? [];
  return parent === undefined ? null : Number(parent);
}

function readProcBytes(file: string, line: RegExp): number {
  const [, kilobytes] = line.exec(readFileOrEmpty(file)) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

const sumBytes = (pids: readonly number[], size: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + size(pid), 0);

function readFileOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
