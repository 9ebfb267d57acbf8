/**
 * Checks the contract, its changes since the last release, and the code. Continues after a failure.
 *
 *   npm run lint                       all parts
 *   npm run lint -- contract           one part: contract, changes or code
 *   npm run lint -- changes --help     options of a part
 */
import { spawnSync } from 'node:child_process';

const PARTS: Record<string, string[][]> = {
  contract: [['--import=tsx', 'scripts/check/lint-openapi.ts']],
  changes: [['--import=tsx', 'scripts/check/changes/main.ts']],
  code: [['node_modules/oxlint/bin/oxlint'], ['node_modules/oxfmt/bin/oxfmt', '--check']],
};

const [part, ...options] = process.argv.slice(2);
const commands = part === undefined ? Object.values(PARTS).flat() : PARTS[part];
if (commands === undefined) {
  console.error(`There is no part ${part}. The parts are ${Object.keys(PARTS).join(', ')}.`);
  process.exitCode = 2;
} else
  for (const command of commands)
    if (spawnSync(process.execPath, [...command, ...options], { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
