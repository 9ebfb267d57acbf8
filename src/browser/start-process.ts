import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';

interface EntryOptions {
  heapMb: number;
  env: Record<string, string>;
  folder?: string | undefined;
}

/**
 * Node options that a process needs to run from TypeScript sources. Other options, such as those of the debugger, are
 * not passed on.
 */
const LOADERS = /^--import/;

/**
 * Starts one of the browser processes, which leads its own process group. Without `folder`, it runs from sources or
 * from the build, like the current process.
 */
export function startProcess(
  name: 'browser-supervisor' | 'audit-runner' | 'print-runner',
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
