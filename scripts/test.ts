/**
 * Runs the tests, all runs side by side, since each waits a third of its time: what a database can change on the
 * embedded database and on MariaDB, and once what it cannot. A report is shown when its run has ended.
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
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
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
  [
    'docs',
    'outbound',
    'browser',
    'domains/report-pages',
    'shared',
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
  ],
  [
    'collections',
    'command-line',
    'compat',
    'workflows',
    'connector',
    'contract',
    'faults',
    'fuzz',
    'http',
    'sandbox',
    'sdk',
  ],
];
/** What `mocha` starts in a process of its own, without the process before it. */
const MOCHA = realpathSync('node_modules/mocha/lib/cli/cli.js');
/** Tests that end processes wait for leases more than they work, so that on MariaDB they are a run of their own. */
const PROCESSES = 'test/processes/*.test.ts';
/**
 * What waits much is let go first, so that it is not waited for at the end: a database's tests wait a third of their
 * time, those of `ONCE` hardly. Niceness, as of `nice`.
 */
const YIELDING = { embedded: 1, once: 3 };
/** Operations that answer from the documents alone. */
const WITHOUT_RECORDS = /^(abilities|categories)_/;
const ALL = 'test/**/*.test.ts';
const pathOf = (name: string): string => `test/${name.endsWith('.ts') ? name : `${name}/**/*.test.ts`}`;

interface Run {
  name: string;
  on: 'sqlite' | 'mariadb';
  files: string[];
  ignore?: string[];
  yields?: number;
  /** Called when its tests begin. */
  onLoaded?: () => void;
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
const runs = plannedRuns().filter(({ on }) => on === (values.only ?? on));
let mariadb: Promise<PrivateMariadb> | undefined;
const [first, ...others] = runs;
if (first) {
  // The first one leaves the sources of all behind, transformed; at once, each would transform them for itself.
  const loaded = new Promise<void>((resolve) => (first.onLoaded = resolve));
  const ended = start(first);
  await Promise.race([loaded, ended]);
  await Promise.all([ended, ...others.map(start)]);
}
await (await mariadb)?.stop();
if (everything) await requireEveryOperation();
await rm(folder, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function plannedRuns(): Run[] {
  const ignore = ONCE.flat().map(pathOf);
  const once = ONCE.map((names, index): Run => ({
    name: `what no database changes, ${index + 1} of ${ONCE.length}`,
    on: 'sqlite',
    files: names.map(pathOf),
    yields: YIELDING.once,
  }));
  if (everything)
    return [
      { name: 'MariaDB', on: 'mariadb', files: [ALL], ignore: [...ignore, PROCESSES] },
      { name: 'embedded database', on: 'sqlite', files: [ALL], ignore, yields: YIELDING.embedded },
      { name: 'MariaDB, processes', on: 'mariadb', files: [PROCESSES], ignore },
      ...once,
    ];
  const onBoth = positionals.filter((file) => !ONCE.flat().some((name) => file.startsWith(`test/${name}`)));
  return [
    { name: 'embedded database', on: 'sqlite', files: positionals },
    ...(onBoth.length > 0 ? [{ name: 'MariaDB', on: 'mariadb', files: onBoth, ignore } as const] : []),
  ];
}

async function start(run: Run): Promise<void> {
  if (run.on === 'sqlite') return report(run, '');
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
  const { on, files, ignore = [], yields = 0, onLoaded } = run;
  const counts = join(folder, `${runs.indexOf(run)}.json`);
  const child = spawn(
    process.execPath,
    [
      '--import=tsx',
      MOCHA,
      ...['--reporter', 'test/support/reporter.cjs', '--reporter-option', `file=${counts}`],
      ...ignore.flatMap((pattern) => ['--ignore', pattern]),
      ...files,
    ],
    {
      stdio: ['ignore', out, out, 'ipc'],
      env: {
        ...process.env,
        TEST_DATABASE_URL: database,
        ...(everything && { CONTRACT_COVERAGE_FILE: answersOn(on) }),
      },
    },
  );
  if (onLoaded) child.once('message', onLoaded);
  if (child.pid !== undefined) setPriority(child.pid, yields);
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
