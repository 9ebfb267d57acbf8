/**
 * Runs the tests on SQLite. Tests whose result MariaDB can change also run on MariaDB.
 *
 *   npm test                                all tests, in several processes
 *   npm test -- test/v2/jobs test/*.ts      some files, folders or globs
 *   npm test -- --only sqlite               on one database (sqlite, mariadb)
 *
 * Uses the MariaDB of TEST_DATABASE_URL, or starts a private one if `mariadbd` is installed. Without either, the
 * MariaDB tests are skipped with a warning, and fail if CI=true.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PrivateMariadb } from '../support/private-mariadb.ts';
import { buildStaleDocs } from './docs.ts';
import { runFiles, runQueue, type TestCounts } from './mocha.ts';
import { allFiles, filesAt, runsOnBothDatabases, needsDocs, type DatabaseName } from './plan.ts';
import { longestFirst, readTimes, storeTimes } from './times.ts';

/** Test processes wait for a third of their time, so five keep two cores busy. */
const PROCESSES = 5;
/** Operations that read no database. */
const WITHOUT_RECORDS = /^(abilities|categories)_/;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const isFullRun = positionals.length === 0;
const DATABASES = ['sqlite', 'mariadb'] as const;
let privateServer: PrivateMariadb | undefined;
const total: TestCounts = { passed: 0, failed: 0, skipped: 0 };
const files = await filesToRun();
if (files.length > 0) await run();

async function run(): Promise<void> {
  if (files.some(needsDocs)) await buildStaleDocs();
  const databases = await databasesToTest();
  await (isFullRun ? runEverything(databases) : Promise.all(databases.map(runSome)));
  await privateServer?.stop();
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** Returns no files, with a message and exit code 2, if the arguments are wrong. */
async function filesToRun(): Promise<string[]> {
  try {
    if (values.only !== undefined && !DATABASES.some((name) => name === values.only))
      throw new Error(`--only must be ${DATABASES.join(' or ')}.`);
    const all = await allFiles();
    return isFullRun ? all : filesAt(positionals, all);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
    return [];
  }
}

async function databasesToTest(): Promise<DatabaseName[]> {
  const wanted = DATABASES.filter((name) => (values.only ?? name) === name);
  if (!wanted.includes('mariadb') || !files.some(runsOnBothDatabases) || process.env['TEST_DATABASE_URL'])
    return wanted;
  const { mariadbIsInstalled } = await import('../support/private-mariadb.ts');
  if (mariadbIsInstalled()) return wanted;
  if (process.env['CI'] === 'true') total.failed++;
  console.log('\n!!! MariaDB is not installed and TEST_DATABASE_URL is not set: the MariaDB half was SKIPPED. !!!');
  return wanted.filter((name) => name !== 'mariadb');
}

function runsOn(file: string, database: DatabaseName): boolean {
  return database === 'sqlite' || runsOnBothDatabases(file);
}

/** Returns an empty text for SQLite. */
async function urlOf(database: DatabaseName): Promise<string> {
  if (database === 'sqlite') return '';
  const { startMariadb } = await import('../support/private-mariadb.ts');
  return process.env['TEST_DATABASE_URL'] || (privateServer = await startMariadb()).url;
}

function count({ passed, failed, skipped }: TestCounts): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

/** Prints the output of the first database immediately, and that of the second one after it has ended. */
async function runSome(database: DatabaseName, place: number): Promise<void> {
  const some = files.filter((file) => runsOn(file, database));
  if (some.length > 0) count(await runFiles(some, { TEST_DATABASE_URL: await urlOf(database) }, place === 0));
}

/** Runs all files, and requires a success of each operation of the contract. */
async function runEverything(databases: readonly DatabaseName[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-answers-'));
  const times = join(folder, 'times');
  const environments = await Promise.all(
    databases.map(async (name) => {
      const answers = (name === 'sqlite' && process.env['CONTRACT_COVERAGE_FILE']) || join(folder, name);
      const env = { TEST_DATABASE_URL: await urlOf(name), CONTRACT_COVERAGE_FILE: answers, TEST_TIMES_FILE: times };
      return { name, env };
    }),
  );
  const queue = files.flatMap((file) =>
    environments.filter(({ name }) => runsOn(file, name)).map((environment) => ({ file, ...environment })),
  );
  count(await runQueue(longestFirst(queue, await readTimes()), PROCESSES));
  await storeTimes(await readFile(times, 'utf8').catch(() => ''));
  for (const { name, env } of environments) await requireEveryOperation(name, env.CONTRACT_COVERAGE_FILE);
  await rm(folder, { recursive: true, force: true });
}

/** Fails the run if no test calls an operation, or if it never succeeded on the database. */
async function requireEveryOperation(database: DatabaseName, answers: string): Promise<void> {
  const { coverageOf } = await import('../contract/coverage.ts');
  const { operations, unexercised, withoutSuccess } = coverageOf(await readFile(answers, 'utf8').catch(() => ''));
  const missing =
    database === 'sqlite'
      ? [...new Set([...unexercised, ...withoutSuccess])]
      : withoutSuccess.filter((id) => !WITHOUT_RECORDS.test(id));
  if (missing.length === 0) console.log(`\nAll ${operations} operations of the contract succeeded on ${database}.`);
  else console.log(`\nNever called on ${database}, or never with success: ${missing.join(', ')}`);
  total.failed += missing.length > 0 ? 1 : 0;
}
