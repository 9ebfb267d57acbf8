/**
 * Runs the tests on SQLite, and lists each documented response that no test gets.
 *
 *   npx tsx scripts/check/coverage.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coverageOf } from '../contract/coverage.ts';

const folder = mkdtempSync(join(tmpdir(), 'sitefleet-coverage-'));
try {
  const file = join(folder, 'answers');
  const env = { ...process.env, CONTRACT_COVERAGE_FILE: file };
  spawnSync(process.execPath, ['--import=tsx', 'scripts/test/main.ts', '--only', 'sqlite'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  const { operations, unexercised, missingErrors: unmet } = coverageOf(readFileSync(file, 'utf8'));
  for (const line of unmet) console.log(`no test meets  ${line}`);
  for (const id of unexercised) console.log(`NOT EXERCISED  ${id}`);
  console.log(
    `${operations} operations, ${unexercised.length} not exercised, ${unmet.length} documented answers not met`,
  );
  process.exitCode = unexercised.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
