/**
 * Runs the tests: everything on the embedded database, then the same on MariaDB.
 *
 *   npm test                          all
 *   npm test -- test/v2/jobs.test.ts  some
 *   npm test -- --only sqlite         one half (sqlite, mariadb)
 *
 * MariaDB is taken from TEST_DATABASE_URL, or started privately when `mariadbd` is installed. Without either that half is
 * skipped, loudly; with CI=true that is a failure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coverageOf } from './contract/coverage.ts';
import { mariadbIsInstalled, startMariadb } from './private-mariadb.ts';

/** What does not touch a database runs once. */
const WITHOUT_DATABASE = ['contract', 'connector', 'outbound', 'sandbox', 'architecture.test.ts'];

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const total: Outcome = { passed: 0, failed: 0, skipped: 0 };

async function runMocha(title: string, files: string[], env: NodeJS.ProcessEnv, ignore: string[] = []): Promise<void> {
  console.log(`\n=== ${title} ===\n`);
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
  const report = join(folder, 'report.json');
  const args = [
    'node_modules/mocha/bin/mocha.js',
    '--reporter',
    'test/support/reporter.cjs',
    '--reporter-option',
    `file=${report}`,
  ];
  for (const pattern of ignore) args.push('--ignore', pattern);
  const child = spawn(process.execPath, [...args, ...files], { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = (await once(child, 'exit')) as [number | null];
  const outcome = await readFile(report, 'utf8').then(
    (text) => JSON.parse(text) as Outcome,
    () => null,
  );
  await rm(folder, { recursive: true, force: true });
  total.passed += outcome?.passed ?? 0;
  total.skipped += outcome?.skipped ?? 0;
  // A run that broke before it could count is one failure.
  total.failed += outcome?.failed || (code === 0 && outcome ? 0 : 1);
}

const all = positionals.length === 0 && values.only !== 'mariadb';
const records = await mkdtemp(join(tmpdir(), 'sitefleet-records-'));
if (all) process.env['CONTRACT_COVERAGE_FILE'] ??= join(records, 'answers');
const files = positionals.length > 0 ? positionals : ['test/**/*.test.ts'];
if (values.only !== 'mariadb') await runMocha('embedded database', files, { TEST_DATABASE_URL: '' });
if (values.only !== 'sqlite') await onMariadb();

if (all) requireEveryOperation();
await rm(records, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/** An operation that no test calls is a promise that nobody has looked at. */
function requireEveryOperation(): void {
  const { operations, unexercised } = coverageOf(process.env['CONTRACT_COVERAGE_FILE'] ?? '');
  if (unexercised.length === 0) console.log(`\nAll ${operations} operations of the contract were exercised.`);
  else console.log(`\nNot exercised: ${unexercised.join(', ')}`);
  total.failed += unexercised.length > 0 ? 1 : 0;
}

async function onMariadb(): Promise<void> {
  const ignore = WITHOUT_DATABASE.map((name) => `test/${name.endsWith('.ts') ? name : `${name}/**`}`);
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return runMocha('MariaDB (TEST_DATABASE_URL)', files, { TEST_DATABASE_URL: given }, ignore);
  if (!mariadbIsInstalled()) {
    console.log('\n!!! MariaDB is not installed and TEST_DATABASE_URL is not set: the MariaDB half was SKIPPED. !!!');
    if (process.env['CI'] === 'true') total.failed++;
    return undefined;
  }
  const server = await startMariadb();
  try {
    await runMocha('MariaDB (private server)', files, { TEST_DATABASE_URL: server.url }, ignore);
  } finally {
    await server.stop();
  }
  return undefined;
}
