import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { findBrowser } from '../../src/browser/browser-path.ts';
import { descendantsOf } from '../../src/browser/process-tree.ts';

/** The Chromium of this machine; skips the suite where there is none, unless CI should have one. */
export async function chromiumOrSkip(suite: Mocha.Context): Promise<string> {
  const path = await findBrowser(null);
  if (path === null && !process.env['CI']) suite.skip();
  return path ?? assert.fail('CI has no Chromium.');
}

/** All that keepers have started below a process: themselves, what drives the browser, and the browser. */
export async function startedBelow(pid: number): Promise<number[]> {
  const commands = await commandsBelow(pid);
  return commands.flatMap(({ id, command }) => (/\/(keeper|\w+-runner)\.[jt]s|chrom/.test(command) ? [id] : []));
}

/** Browsers that run below a process; each has many processes, and one that began them. */
export async function browsersBelow(pid: number): Promise<number> {
  const commands = await commandsBelow(pid);
  return commands.filter(({ command }) => command.includes('--user-data-dir=') && !command.includes('--type=')).length;
}

async function commandsBelow(pid: number): Promise<{ id: number; command: string }[]> {
  return (await descendantsOf(pid)).map((id) => ({ id, command: commandOf(id) }));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
