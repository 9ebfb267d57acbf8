import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';

interface EntryOptions {
  heapMb: number;
  env: Record<string, string>;
}

/** Options of ours that a process needs to run from sources; whoever debugs the service does not debug this one. */
const LOADERS = /^--import/;

/** Starts a process of ours, as this one runs: from sources, or built. It leads a group of processes of its own. */
export function startProcess(
  name: 'keeper' | 'audit-runner' | 'print-runner',
  { heapMb, env }: EntryOptions,
): ChildProcess {
  const loaders = process.execArgv.filter((option, at, all) => LOADERS.test(option) || all[at - 1] === '--import');
  return fork(join(import.meta.dirname, `${name}${extname(import.meta.filename)}`), [], {
    execArgv: [...loaders, `--max-old-space-size=${heapMb}`],
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
}
