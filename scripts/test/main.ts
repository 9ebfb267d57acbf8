/**
 * Runs the tests: what a database can change on the embedded database and on MariaDB, and once what it cannot.
 *
 *   npm test                          all, in several processes, which take one file after the other
 *   npm test -- test/v2/jobs          some files or folders, on both databases
 *   npm test -- --only sqlite         on one database (sqlite, mariadb)
 *
 * MariaDB is taken from TEST_DATABASE_URL, or started privately when `mariadbd` is installed. Without either that half
 * is skipped, loudly; with CI=true that is a failure.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { PrivateMariadb } from '../support/private-mariadb.ts';
import { runFiles, runQueue, type Outcome } from './mocha.ts';
import { allFiles, isOnBoth, type DatabaseName } from './plan.ts';

/** How many processes take the files. They wait for a third of their time; more get in each other's way. */
const PROCESSES = 4;
/** Operations that answer from the documents alone. */
const WITHOUT_RECORDS = /^(abilities|categories)_/;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const everything = positionals.length === 0;
const files = await filesToRun();
let privateServer: PrivateMariadb | undefined;
const total: Outcome = { passed: 0, failed: 0, skipped: 0 };
const databases = await databasesToTest();
await (everything ? runEverything() : Promise.all(databases.map(runSome)));
await privateServer?.stop();
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/** A folder stands for all test files in it. */
async function filesToRun(): Promise<string[]> {
  const all = await allFiles();
  if (everything) return all;
  return positionals.flatMap((path) => {
    const inside = all.filter((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
    return inside.length > 0 ? inside : [path];
  });
}

async function databasesToTest(): Promise<DatabaseName[]> {
  const wanted = (['sqlite', 'mariadb'] as const).filter((name) => (values.only ?? name) === name);
  if (!wanted.includes('mariadb') || !files.some(isOnBoth) || process.env['TEST_DATABASE_URL']) return wanted;
  const { mariadbIsInstalled } = await import('../support/private-mariadb.ts');
  if (mariadbIsInstalled()) return wanted;
  if (process.env['CI'] === 'true') total.failed++;
  console.log('\n!!! MariaDB is not installed and TEST_DATABASE_URL is not set: the MariaDB half was SKIPPED. !!!');
  return wanted.filter((name) => name !== 'mariadb');
}

function runsOn(file: string, database: DatabaseName): boolean {
  return database === 'sqlite' || isOnBoth(file);
}

/** Empty for the embedded one. */
async function urlOf(database: DatabaseName): Promise<string> {
  if (database === 'sqlite') return '';
  const { startMariadb } = await import('../support/private-mariadb.ts');
  return process.env['TEST_DATABASE_URL'] || (privateServer = await startMariadb()).url;
}

function count({ passed, failed, skipped }: Outcome): void {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

/** Shows what comes as it comes on the first database, and then the rest. */
async function runSome(database: DatabaseName, place: number): Promise<void> {
  const some = files.filter((file) => runsOn(file, database));
  if (some.length > 0) count(await runFiles(some, { TEST_DATABASE_URL: await urlOf(database) }, place === 0));
}

/** Runs all files, and asks for each operation of the contract. */
async function runEverything(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-answers-'));
  const environments = await Promise.all(
    databases.map(async (name) => {
      const answers = (name === 'sqlite' && process.env['CONTRACT_COVERAGE_FILE']) || join(folder, name);
      return { name, env: { TEST_DATABASE_URL: await urlOf(name), CONTRACT_COVERAGE_FILE: answers } };
    }),
  );
  const queue = files.flatMap((file) =>
    environments.filter(({ name }) => runsOn(file, name)).map((environment) => ({ file, ...environment })),
  );
  count(await runQueue(queue, PROCESSES));
  for (const { name, env } of environments) await requireEveryOperation(name, env.CONTRACT_COVERAGE_FILE);
  await rm(folder, { recursive: true, force: true });
}

/** An operation that no test calls, or that never went well on one of the databases, is a promise nobody has kept. */
async function requireEveryOperation(database: DatabaseName, answers: string): Promise<void> {
  const { coverageOf } = await import('../contract/coverage.ts');
  const { operations, unexercised, withoutSuccess } = coverageOf(await readFile(answers, 'utf8').catch(() => ''));
  const missing =
    database === 'sqlite'
      ? [...new Set([...unexercised, ...withoutSuccess])]
      : withoutSuccess.filter((id) => !WITHOUT_RECORDS.test(id));
  if (missing.length === 0) console.log(`\nAll ${operations} operations of the contract went well on ${database}.`);
  else console.log(`\nNot exercised on ${database}, or never with success: ${missing.join(', ')}`);
  total.failed += missing.length > 0 ? 1 : 0;
}
