/**
 * Runs the tests: everything on the embedded database, and beside it the same on MariaDB, whose report comes second.
 *
 *   npm test                          all
 *   npm test -- test/v2/jobs.test.ts  some
 *   npm test -- --only sqlite         one half (sqlite, mariadb)
 *
 * MariaDB is taken from TEST_DATABASE_URL, or started privately when `mariadbd` is installed. Without either that half
 * is skipped, loudly; with CI=true that is a failure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
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

/** Runs the files; the report goes to a file, or is shown as it comes. */
async function runMocha(
  files: string[],
  database: string,
  out: number | 'inherit',
  ignore: string[] = [],
): Promise<void> {
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
  const child = spawn(process.execPath, [...args, ...files], {
    stdio: ['ignore', out, out],
    env: { ...process.env, TEST_DATABASE_URL: database },
  });
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
const server = process.env['TEST_DATABASE_URL'] ?? '';
const onMariadb = values.only === 'sqlite' ? null : runOnMariadb();
if (values.only !== 'mariadb') {
  console.log('\n=== embedded database ===\n');
  await runMocha(files, '', 'inherit');
}
await (
  await onMariadb
)?.();

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

/** Begins the half on MariaDB; what it returns, once that half has ended, shows its report. */
async function runOnMariadb(): Promise<() => Promise<void>> {
  const ignore = WITHOUT_DATABASE.map((name) => `test/${name.endsWith('.ts') ? name : `${name}/**`}`);
  if (!server && !mariadbIsInstalled()) {
    if (process.env['CI'] === 'true') total.failed++;
    return async () =>
      console.log('\n!!! MariaDB is not installed and TEST_DATABASE_URL is not set: the MariaDB half was SKIPPED. !!!');
  }
  const mariadb = server ? null : await startMariadb();
  const file = join(records, 'mariadb.log');
  const out = await open(file, 'w');
  try {
    await runMocha(files, mariadb?.url ?? server, out.fd, ignore);
  } finally {
    await out.close();
    await mariadb?.stop();
  }
  return async () => {
    console.log(`\n=== MariaDB (${mariadb ? 'private server' : 'TEST_DATABASE_URL'}) ===\n`);
    await pipeline(createReadStream(file), process.stdout, { end: false });
  };
}
