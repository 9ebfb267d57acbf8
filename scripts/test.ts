/**
 * Runs the tests in several processes, which take one file after the other: what a database can change on the embedded
 * database and on MariaDB, and once what it cannot. A report is shown when its run has ended.
 *
 *   npm test                          all
 *   npm test -- test/v2/jobs.test.ts  some, on both databases
 *   npm test -- --only sqlite         on one database (sqlite, mariadb)
 *
 * MariaDB is taken from TEST_DATABASE_URL, or started privately when `mariadbd` is installed. Without either that half
 * is skipped, loudly; with CI=true that is a failure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, realpathSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { PrivateMariadb } from './private-mariadb.ts';

/**
 * What MariaDB does not repeat, because no database can change it: the wire, the contract's documents, the validation
 * before a handler, and what a site does to a call. A folder that is not named here runs on both; the last lines of a
 * run prove that every operation has gone well on either.
 */
const ONCE = [
  'browser',
  'collections',
  'command-line',
  'compat',
  'connector',
  'contract',
  'docs',
  'domains/report-pages',
  'faults',
  'fuzz',
  'http',
  'outbound',
  'sandbox',
  'sdk',
  'shared',
  'workflows',
  'architecture.test.ts',
  'titles.test.ts',
  'abilities/updates/many-sites.test.ts',
  'domains/domain-monitor/hostile.test.ts',
  'domains/ssl-monitor/hostile.test.ts',
  'domains/ssl-monitor/ssl-probe.test.ts',
  'domains/time-tracker/sums.test.ts',
  'mcp/door.test.ts',
  'mcp/every-ability.test.ts',
  'mcp/stdio.test.ts',
  'mcp/tools.test.ts',
  'safety/addresses.test.ts',
  'v2/content/posts-exact.test.ts',
  'v2/content/posts-locked.test.ts',
  'v2/perf-audit/pagespeed.test.ts',
  'v2/pro-reports/pdf.test.ts',
  'v2/settings/limits.test.ts',
  'v2/settings/signatures.test.ts',
  // Services with the embedded database that is the default.
  'processes/beside-a-writer.test.ts',
  'processes/default-configuration.test.ts',
  'processes/mail-killed.test.ts',
  'processes/packed.test.ts',
  'processes/startup.test.ts',
  'processes/stopping.test.ts',
];
/** What `mocha` starts in a process of its own, without the process before it. */
const MOCHA = realpathSync('node_modules/mocha/lib/cli/cli.js');
/** How many processes take the files of a run. They wait for a third of their time; more get in each other's way. */
const PROCESSES = { sqlite: 2, mariadb: 2 };
/** Folders, the longest last: they come first, so that no process is left with one at the end. */
const LONGEST = ['contract', 'safety', 'mcp', 'sdk', 'compat', 'fuzz', 'faults', 'docs', 'processes', 'browser'];
/** Operations that answer from the documents alone. */
const WITHOUT_RECORDS = /^(abilities|categories)_/;

interface Run {
  name: string;
  on: 'sqlite' | 'mariadb';
  files: string[];
}

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const total: Outcome = { passed: 0, failed: 0, skipped: 0 };
const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
const everything = positionals.length === 0;
const ran = new Set<Run['on']>();
const runs = (await plannedRuns()).filter(({ on }) => on === (values.only ?? on));
let mariadb: Promise<PrivateMariadb> | undefined;
await Promise.all(runs.map((run) => (run.on === 'mariadb' ? runOnMariadb(run) : report(run, ''))));
await (await mariadb)?.stop();
if (everything) await requireEveryOperation();
await rm(folder, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

async function plannedRuns(): Promise<Run[]> {
  const files = everything ? await allFiles() : positionals;
  const onBoth = files.filter((file) => !ONCE.some((name) => file.startsWith(`test/${name}`)));
  return [
    ...(onBoth.length > 0 ? [{ name: 'MariaDB', on: 'mariadb', files: onBoth } as const] : []),
    { name: 'embedded database', on: 'sqlite', files },
  ];
}

async function allFiles(): Promise<string[]> {
  const files = (await readdir('test', { recursive: true })).filter((file) => file.endsWith('.test.ts')).sort();
  const rank = (file: string): number => LONGEST.indexOf(file.split('/')[0] ?? '');
  return files.sort((one, other) => rank(other) - rank(one)).map((file) => `test/${file}`);
}

async function runOnMariadb(run: Run): Promise<void> {
  const { mariadbIsInstalled, startMariadb } = await import('./private-mariadb.ts');
  const server = process.env['TEST_DATABASE_URL'] ?? '';
  if (!server && !mariadbIsInstalled()) {
    if (process.env['CI'] === 'true') total.failed++;
    console.log('\n!!! MariaDB is not installed and TEST_DATABASE_URL is not set: the MariaDB half was SKIPPED. !!!');
    return;
  }
  await report(run, server || (await (mariadb ??= startMariadb())).url);
}

/** Runs it; a single one on the embedded database shows what comes as it comes. */
async function report(run: Run, database: string): Promise<void> {
  ran.add(run.on);
  const began = performance.now();
  const heading = `\n=== ${run.name} ===\n`;
  if (!everything && run.on === 'sqlite') {
    console.log(heading);
    return runMocha(run, database, 'inherit');
  }
  const file = join(folder, `${runs.indexOf(run)}.log`);
  const out = await open(file, 'w');
  await runMocha(run, database, out.fd);
  await out.close();
  console.log(heading);
  await pipeline(createReadStream(file), process.stdout, { end: false });
  console.log(`  (${Math.round((performance.now() - began) / 1000)} s)`);
}

async function runMocha(run: Run, database: string, out: number | 'inherit'): Promise<void> {
  const { on, files } = run;
  const counts = join(folder, `${runs.indexOf(run)}.json`);
  const child = spawn(
    process.execPath,
    [
      '--import=tsx',
      MOCHA,
      ...['--reporter', 'test/support/reporter.cjs', '--reporter-option', `file=${counts}`],
      ...(everything ? ['--parallel', '--jobs', String(PROCESSES[on])] : []),
      ...files,
    ],
    {
      stdio: ['ignore', out, out],
      env: {
        ...process.env,
        TEST_DATABASE_URL: database,
        ...(everything && { CONTRACT_COVERAGE_FILE: answersOn(on) }),
      },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  const outcome = await readFile(counts, 'utf8').then(
    (text) => JSON.parse(text) as Outcome,
    () => null,
  );
  total.passed += outcome?.passed ?? 0;
  total.skipped += outcome?.skipped ?? 0;
  // A run that broke before it could count is one failure.
  total.failed += outcome?.failed || (code === 0 && outcome ? 0 : 1);
}

/** The file in which the runs on a database record which documented answers they met. */
function answersOn(database: Run['on']): string {
  const given = database === 'sqlite' ? process.env['CONTRACT_COVERAGE_FILE'] : undefined;
  return given ?? join(folder, `${database}.answers`);
}

/** An operation that no test calls, or that never went well on one of the databases, is a promise nobody has kept. */
async function requireEveryOperation(): Promise<void> {
  const { coverageOf } = await import('./contract/coverage.ts');
  for (const database of ran) {
    const record = await readFile(answersOn(database), 'utf8').catch(() => '');
    const { operations, unexercised, withoutSuccess } = coverageOf(record);
    const missing =
      database === 'sqlite'
        ? [...new Set([...unexercised, ...withoutSuccess])]
        : withoutSuccess.filter((id) => !WITHOUT_RECORDS.test(id));
    if (missing.length === 0) console.log(`\nAll ${operations} operations of the contract went well on ${database}.`);
    else console.log(`\nNot exercised on ${database}, or never with success: ${missing.join(', ')}`);
    total.failed += missing.length > 0 ? 1 : 0;
  }
}
