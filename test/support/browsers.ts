import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findBrowser } from '../../src/browser/browser-path.ts';
import { descendantsOf } from '../../src/browser/process-tree.ts';

/** Returns the Chromium of this machine. Skips the suite if there is none, except in CI. */
export async function chromiumOrSkip(suite: Mocha.Context): Promise<string> {
  const path = await findBrowser(null);
  if (path === null && !process.env['CI']) suite.skip();
  return path ?? assert.fail('CI has no Chromium.');
}

/** Returns the processes below a process that a supervisor has started: supervisors, runners and browsers. */
export function childProcessesOf(pid: number): number[] {
  return commandsBelow(pid).flatMap(({ id, command }) =>
    /\/(browser-supervisor|\w+-runner)\.[jt]s|chrom/.test(command) ? [id] : [],
  );
}

/** Counts the browsers below a process by their profiles, because each browser has many processes. */
export function countBrowsersOf(pid: number): number {
  const commands = commandsBelow(pid).filter(({ command }) => !command.includes('--type='));
  const profiles = commands.map(({ command }) => command.split('\0').find((each) => each.startsWith(PROFILE)));
  return new Set(profiles.filter((profile) => profile !== undefined)).size;
}

const PROFILE = '--user-data-dir=';

function commandsBelow(pid: number): { id: number; command: string }[] {
  return descendantsOf(pid).map((id) => ({ id, command: commandOf(id) }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
