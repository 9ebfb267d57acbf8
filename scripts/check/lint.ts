/**
 * Checks the contract, its changes since the last release, and the code. Continues after a failure.
 *
 *   npm run lint                       all parts
 *   npm run lint -- contract           one part: contract, changes or code
 *   npm run lint -- code src/db        code and format of these files and folders
 *   npm run lint -- changes --help     options of a part
 */
import { spawnSync } from 'node:child_process';

const PARTS: Record<string, string[][]> = {
  contract: [['--import=tsx', 'scripts/check/lint-openapi.ts']],
  changes: [['--import=tsx', 'scripts/check/changes/main.ts']],
  code: [['node_modules/oxlint/bin/oxlint'], ['node_modules/oxfmt/bin/oxfmt', '--check']],
};

const [part, ...options] = process.argv.slice(2);
const parts = part === undefined ? Object.keys(PARTS) : [part];
const failed: string[] = [];
for (const name of parts) {
  const commands = PARTS[name];
  if (commands === undefined) {
    console.error(`There is no part ${name}. The parts are ${Object.keys(PARTS).join(', ')}.`);
    process.exitCode = 2;
    break;
  }
  const statuses = commands.map(
    (command) => spawnSync(process.execPath, [...command, ...options], { stdio: 'inherit' }).status,
  );
  if (statuses.some((status) => status !== 0)) failed.push(name);
}
if (failed.length > 0) {
  // The output of a part can be longer than a screen.
  console.error(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
