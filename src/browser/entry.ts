import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';

interface EntryOptions {
  heapMb: number;
  env: Record<string, string>;
  /** Where it lies built; beside this file, as this one is, unless given. */
  folder?: string | undefined;
}

/** Options of ours that a process needs to run from sources; whoever debugs the service does not debug this one. */
const LOADERS = /^--import/;

/** Starts a process of ours, as this one runs: from sources, or built. It leads a group of processes of its own. */
export function startProcess(
  name: 'keeper' | 'audit-runner' | 'print-runner',
  { heapMb, env, folder }: EntryOptions,
): ChildProcess {
  const loaders = process.execArgv.filter((option, at, all) => LOADERS.test(option) || all[at - 1] === '--import');
  const file = folder ? join(folder, `${name}.js`) : join(import.meta.dirname, name + extname(import.meta.filename));
  return fork(file, [], {
    execArgv: [...(folder ? [] : loaders), `--max-old-space-size=${heapMb}`],
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
}
