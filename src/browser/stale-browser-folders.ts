import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './process-tree.ts';

const PREFIX = 'sitefleet-browser-';

/**
 * Maximum length of the path of the temporary folder. Chromium makes a socket about 77 characters below it, and the
 * path of a socket has at most 107 bytes.
 */
const LONGEST_PATH = 29;

/** Returns the parent of the folders of browsers: the temporary folder of the system, or `/tmp` if its path is long. */
export const browserTempFolder = (): string => (tmpdir().length <= LONGEST_PATH ? tmpdir() : '/tmp');

export const folderPrefix = (): string => join(browserTempFolder(), `${PREFIX}${process.pid}-`);

export async function removeStaleFolders(): Promise<void> {
  const parent = browserTempFolder();
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
