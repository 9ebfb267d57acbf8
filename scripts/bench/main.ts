/**
 * Measures the built service. Most figures are ratios to a baseline of the same run. Run it on an idle machine.
 *
 *   npm run bench                               all parts
 *   npm run bench -- http calls                 some of http, calls, mix, lists, limits, sync, fleet, updates, fan-out,
 *                                               hostile, batch, large, soak, uptime, ssl, reports, vulnerabilities,
 *                                               sdk, compat, mcp, neighbours
 *   npm run bench -- calls --only sqlite        on one database
 *   npm run bench -- neighbours --neighbour x   neighbours whose name matches
 *   npm run bench -- --json FILE                also writes the figures to a file
 *   npm run bench -- soak --minutes 10          duration of the soak and uptime parts
 *   npm run bench -- --beside DIR --rounds 5    measures here and in a second checkout in turns, and fails if a figure
 *                                               is worse here in every round
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { createMariadbDatabase, mariadbIsInstalled, startMariadb } from '../support/private-mariadb.ts';
import { batch } from './batch.bench.ts';
import { compareWithCheckout } from './beside.ts';
import { calls } from './calls.bench.ts';
import type { BenchDatabase } from './databases.ts';
import { compat } from './compat.bench.ts';
import { fanOut } from './fan-out.bench.ts';
import { hostile } from './hostile.bench.ts';
import { http } from './http.bench.ts';
import { limits } from './limits.bench.ts';
import { lists } from './lists.bench.ts';
import { figures, formatFigure, missedFigures } from './report.ts';
import { mcp } from './mcp.bench.ts';
import { mix } from './mix.bench.ts';
import { measureNeighbours } from './neighbours/neighbours.bench.ts';
import { cpuSecondsOf } from './processes.ts';
import { reports } from './reports.bench.ts';
import { sdk } from './sdk.bench.ts';
import { soak } from './soak.bench.ts';
import { ssl } from './ssl.bench.ts';
import { runUpdates } from './updates.bench.ts';
import { uptime } from './uptime.bench.ts';
import { vulnerabilities } from './vulnerabilities.bench.ts';
import { syncFleet, syncInline, syncLarge } from './sync.bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    beside: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    neighbour: { type: 'string' },
  },
});
if (!existsSync('dist/src/main.js')) throw new Error('The service is not built. Run npm run build first.');

if (values.beside !== undefined) {
  const worse = await compareWithCheckout(values.beside, positionals, Number(values.rounds));
  if (worse.length > 0) console.log(`\nWorse in every round: ${worse.map(({ name }) => name).join('; ')}.`);
  process.exit(worse.length > 0 ? 1 : 0);
}

const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
const needsMariadb = [
  'calls',
  'mix',
  'lists',
  'limits',
  'large',
  'soak',
  'reports',
  'vulnerabilities',
  'neighbours',
].some(wanted);
const mariadb =
  mariadbIsInstalled() && needsMariadb && values.only !== 'sqlite' ? await startMariadb({ careful: true }) : null;
if (!mariadb && needsMariadb) console.log('MariaDB is not installed or not wanted: its figures are left out.');
const databases: BenchDatabase[] = [
  ...(values.only === 'mariadb' ? [] : [{ name: 'SQLite' as const, url: () => Promise.resolve(undefined) }]),
  ...(mariadb
    ? [
        {
          name: 'MariaDB' as const,
          url: (purpose: string | number) => createMariadbDatabase(mariadb, `bench_${purpose}`),
          cpu: () => cpuSecondsOf(mariadb.pid()),
        },
      ]
    : []),
];

try {
  if (wanted('http')) await http();
  if (wanted('sdk')) await sdk();
  if (wanted('sync')) await syncInline();
  if (wanted('fleet')) await syncFleet();
  if (wanted('calls')) for (const database of databases) await calls(database);
  if (wanted('mix')) for (const database of databases) await mix(database);
  if (wanted('lists')) for (const database of databases) await lists(database);
  if (wanted('limits')) for (const database of databases) await limits(database);
  if (wanted('updates')) await runUpdates();
  if (wanted('fan-out')) await fanOut();
  if (wanted('hostile')) await hostile();
  if (wanted('batch')) await batch();
  if (wanted('compat')) await compat();
  if (wanted('mcp')) await mcp();
  if (wanted('soak')) for (const database of databases) await soak(database, Number(values.minutes));
  if (wanted('uptime')) await uptime(Number(values.minutes));
  if (wanted('ssl')) await ssl();
  if (wanted('reports')) for (const database of databases) await reports(database);
  if (wanted('vulnerabilities')) for (const database of databases) await vulnerabilities(database);
  if (wanted('neighbours')) {
    const some = values.neighbour === undefined ? null : new RegExp(values.neighbour);
    for (const database of databases) await measureNeighbours(database, some);
  }
  if (wanted('large')) for (const { name, url } of databases) await syncLarge(name, await url('large'));
} finally {
  await mariadb?.stop();
}

console.log(`\n${figures.map(formatFigure).join('\n')}`);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
if (missedFigures().length > 0) process.exitCode = 1;
