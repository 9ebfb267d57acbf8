import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { feedFault } from './feed.ts';

/** `modified` differs if a file was replaced, changed, added or removed. */
export interface LocalFeed {
  files: readonly string[];
  modified: string;
}

const MAX_FILES = 100_000;

interface FeedFile {
  name: string;
  path: string;
  entry: Stats;
}

/**
 * Finds the files of a feed in the feed folder, which may be a symbolic link itself. Links are resolved before each
 * file is checked to be in the folder. Throws `svc_feed_failed`.
 */
export async function findLocalFeed(folder: string | null, location: string, maxBytes: number): Promise<LocalFeed> {
  if (folder === null) throw feedFault('Files are only read from SITEFLEET_FEED_DIR, which is not set.');
  try {
    const root = await realpath(folder);
    const files = await listFiles(root, location);
    const size = files.reduce((sum, { entry }) => sum + entry.size, 0);
    if (size > maxBytes) throw feedFault('The feed is larger than the settings allow.');
    return { files: files.map(({ path }) => path), modified: markOf(files) };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === undefined || code === 'svc_feed_failed') throw error;
    throw feedFault('The feed is not a readable file or folder below SITEFLEET_FEED_DIR.', error);
  }
}

async function listFiles(root: string, location: string): Promise<FeedFile[]> {
  const path = await resolveInside(root, location);
  const entry = await stat(path);
  if (entry.isFile()) return [{ name: '', path, entry }];
  if (!entry.isDirectory()) throw feedFault('The feed is neither a file nor a folder.');
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
  if (names.length > MAX_FILES) throw feedFault(`The folder contains more than ${MAX_FILES} files.`);
  const files: FeedFile[] = [];
  for (const name of names) {
    const file = await resolveInside(root, join(path, name));
    const fileEntry = await stat(file);
    if (fileEntry.isFile()) files.push({ name, path: file, entry: fileEntry });
  }
  return files;
}

async function resolveInside(root: string, location: string): Promise<string> {
  const isInside = (path: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
  const wanted = resolve(root, location);
  const path = isInside(wanted) ? await realpath(wanted) : wanted;
  if (!isInside(path)) throw feedFault('The feed is outside of SITEFLEET_FEED_DIR.');
  return path;
}

function markOf(files: readonly FeedFile[]): string {
  const hash = createHash('sha256');
  for (const { name, entry } of files) hash.update(`${name} ${entry.mtimeMs} ${entry.size} ${entry.ino}\n`);
  return hash.digest('hex');
}
