import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/** What a file of tests finds in its environment. */
export type Env = Readonly<Record<string, string>>;

/** A file of tests, and what names this run of it among those in other environments. */
export interface QueuedFile {
  file: string;
  name: string;
  env: Env;
}

/** What `mocha` starts in a process of its own, without the process before it. */
const MOCHA = realpathSync('node_modules/mocha/lib/cli/cli.js');

/** Runs files in one process. What it says is shown as it comes, or when it has ended. */
export async function runFiles(files: readonly string[], env: Env, isShownAtOnce: boolean): Promise<Outcome> {
  const { outcome, said } = await runMocha(files, [], env, isShownAtOnce);
  process.stdout.write(said);
  return outcome;
}

/**
 * Runs files in several processes, which take one after the other. A process meets many environments, and a file maybe
 * twice: it is loaded by a module that sets the environment, under an address that is new to the process.
 */
export async function runQueue(queue: readonly QueuedFile[], processes: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-queue-'));
  const modules = await Promise.all(
    queue.map(async ({ file, name, env }) => {
      const module = join(folder, name, `${file}.mjs`);
      await mkdir(dirname(module), { recursive: true });
      const address = `${pathToFileURL(resolve(file)).href}?${name}`;
      const named = { ...env, TEST_NAME: `${file} ${name}` };
      await writeFile(
        module,
        `Object.assign(process.env, ${JSON.stringify(named)});\nawait import(${JSON.stringify(address)});\n`,
      );
      return module;
    }),
  );
  const { outcome } = await runMocha(modules, ['--parallel', '--jobs', String(processes)], {}, true);
  await rm(folder, { recursive: true, force: true });
  return outcome;
}

async function runMocha(
  files: readonly string[],
  options: readonly string[],
  env: Env,
  isShownAtOnce: boolean,
): Promise<{ outcome: Outcome; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-counts-'));
  const counts = join(folder, 'counts.json');
  const reporter = ['--reporter', 'test/support/reporter.cjs', '--reporter-option', `file=${counts}`];
  const stdio: StdioOptions = ['ignore', isShownAtOnce ? 'inherit' : 'pipe', 'inherit'];
  const child = spawn(process.execPath, ['--import=tsx', MOCHA, ...reporter, ...options, ...files], {
    stdio,
    env: { ...process.env, ...env },
  });
  const [said, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  const outcome = await readFile(counts, 'utf8').then(
    (json) => JSON.parse(json) as Outcome,
    () => null,
  );
  await rm(folder, { recursive: true, force: true });
  const { passed = 0, failed = 0, skipped = 0 } = outcome ?? {};
  // A run that broke before it could count is one failure.
  return { outcome: { passed, failed: failed || (code === 0 && outcome ? 0 : 1), skipped }, said };
}
