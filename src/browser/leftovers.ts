import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './process-tree.ts';

const PREFIX = 'sitefleet-browser-';

/** Where the browser of this process writes: a name to which something unique is added. */
export const folderStem = (): string => join(tmpdir(), `${PREFIX}${process.pid}-`);

/** Removes the folders of browsers whose keeper was killed; those of one that is there stay. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
