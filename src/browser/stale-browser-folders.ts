import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './process-tree.ts';

const PREFIX = 'sitefleet-browser-';

export const folderPrefix = (): string => join(tmpdir(), `${PREFIX}${process.pid}-`);

export async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
