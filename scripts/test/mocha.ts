import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { keyOf } from './times.ts';

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Environment variables of a test file. */
export type Env = Readonly<Record<string, string>>;

export interface QueuedFile {
  file: string;
  /** Name of the environment, which is part of the titles in the report. */
  name: string;
  env: Env;
}

/** The file that `bin/mocha` starts in a second process, which is saved here. */
const MOCHA = realpathSync('node_modules/mocha/lib/cli/cli.js');
/** Tests create many objects that live as long as one request. A larger young generation saves 9 % of the time. */
const NODE_OPTIONS = ['--import=tsx', '--max-semi-space-size=64'];

/** Runs files in one process. Its output is printed immediately or after its end. */
export async function runFiles(files: readonly string[], env: Env, isShownAtOnce: boolean): Promise<TestCounts> {
  const { outcome, said } = await runMocha(files, [], env, isShownAtOnce);
  process.stdout.write(said);
  return outcome;
}

/**
 * Runs files in several processes. A process runs files of several environments, and can run a file twice. So a module
 * sets the environment and imports the file with a query, because Node would not load the same address again.
 */
export async function runQueue(queue: readonly QueuedFile[], processes: number): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-queue-'));
  const modules = await Promise.all(
    queue.map(async ({ file, name, env }) => {
      const module = join(folder, name, `${file}.mjs`);
      await mkdir(dirname(module), { recursive: true });
      const address = `${pathToFileURL(resolve(file)).href}?${name}`;
      const named = { ...env, TEST_NAME: keyOf({ file, name }) };
      const lines = [
        `Object.assign(process.env, ${JSON.stringify(named)}, { TEST_BEGAN: Date.now() });`,
        `await import(${JSON.stringify(address)});`,
      ];
      await writeFile(module, lines.join('\n'));
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
): Promise<{ outcome: TestCounts; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-counts-'));
  const counts = join(folder, 'counts.json');
  const reporter = ['--reporter', 'test/support/reporter.cjs', '--reporter-option', `file=${counts}`];
  const stdio: StdioOptions = ['ignore', isShownAtOnce ? 'inherit' : 'pipe', 'inherit'];
  const child = spawn(process.execPath, [...NODE_OPTIONS, MOCHA, ...reporter, ...options, ...files], {
    stdio,
    env: { ...process.env, ...env },
  });
  const [said, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  const outcome = await readFile(counts, 'utf8').then(
    (json) => JSON.parse(json) as TestCounts,
    () => null,
  );
  await rm(folder, { recursive: true, force: true });
  const { passed = 0, failed = 0, skipped = 0 } = outcome ?? {};
  // A run without counts has crashed, which is one failure.
  return { outcome: { passed, failed: failed || (code === 0 && outcome ? 0 : 1), skipped }, said };
}
