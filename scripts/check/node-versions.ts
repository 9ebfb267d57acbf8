/**
 * Runs the quick part of the tests on other versions of Node, which npm downloads into a temporary folder.
 *
 *   npx tsx scripts/check/node-versions.ts          the newest LTS
 *   npx tsx scripts/check/node-versions.ts 22 24    these
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NEWEST_LTS = '26';
/** The database driver, the HTTP server, the queue, both programs and the SDK: what depends on the version. */
const QUICK = ['db', 'http', 'queue', 'shared', 'sdk', 'client-cli', 'v2/tags', 'abilities/tags'];

const versions = process.argv.slice(2);
for (const version of versions.length > 0 ? versions : [NEWEST_LTS]) {
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-node-'));
  try {
    const name = `node-${process.platform}-${process.arch}`;
    const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', ...options, `${name}@${version}`]);
    const node = join(folder, 'node_modules', name, 'bin/node');
    const mocha = ['--import=tsx', 'node_modules/mocha/bin/mocha.js', '--no-warnings', '--reporter', 'dot'];
    const files = [...QUICK.map((part) => `test/${part}/**/*.test.ts`), 'test/outbound/memory.test.ts'];
    const run = spawn(node, [...mocha, ...files], { stdio: 'inherit' });
    const [code] = (await once(run, 'exit')) as [number | null];
    console.log(`Node ${version}: ${code === 0 ? 'passed' : 'failed'}.`);
    if (code !== 0) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
