import { randomBytes, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../shared/startup-error.ts';
import type { Database } from './database.ts';
import { sqliteModule, type SqliteFile } from './drivers/sqlite-module.ts';
import { KEY_BYTES, parseSealingKey } from './sealing.ts';
import { dependsOnSealingKey } from './sealing-check.ts';

const KEY_FILE = 'secret.key';

export function makeDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw notWritable(folder, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}

/** Size in bytes of the first page of a SQLite file. A file that is not larger contains no table. */
const FIRST_PAGE_BYTES = 4_096;

/**
 * Throws `StartupError` if the folder has a sealing key, which encrypts stored secrets, but neither the database file
 * nor its write-ahead log contains a table. One cause is a copy of the file without its log. SQLite would take such a
 * file for a new database.
 */
export function refuseEmptiedFile(folder: string, file: string): void {
  const [size, logged] = [file, `${file}-wal`].map((each) => statSync(each, { throwIfNoEntry: false })?.size);
  const isEmptied = size !== undefined && size <= FIRST_PAGE_BYTES && !logged;
  if (isEmptied && existsSync(join(folder, KEY_FILE)))
    throw new StartupError(
      `The database ${file} is empty, but its key ${join(folder, KEY_FILE)} exists. ` +
        'Restore a backup of the database, or delete the file to start with an empty database.',
    );
}

export async function readOrCreateSealingKey(folder: string, database: Database): Promise<Buffer> {
  const file = join(folder, KEY_FILE);
  const stored = readKey(file);
  if (stored) return stored;
  if (await dependsOnSealingKey(database.knex))
    throw new StartupError(
      `The sealing key ${file} is missing, but the database contains data that was encrypted with it. ` +
        'Restore the file, or set SITEFLEET_SECRET_KEY to its content.',
    );
  // The key is written to a temporary file first. The link makes it appear under its final name at once, so a
  // concurrent process never reads a part of the key.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, randomBytes(KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return parseSealingKey(readFileSync(file, 'utf8'), file);
}

function readKey(file: string): Buffer | null {
  try {
    return parseSealingKey(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Time to wait for the lock of another service that is about to end. */
const LOCK_WAIT_MS = 1000;

/**
 * Locks the folder against a second service, because both would run all jobs. Throws `StartupError` if it is locked.
 * The lock is a SQLite transaction that never ends: SQLite has file locks on every platform, and the operating system
 * releases them however the process ends.
 */
export function lockDataFolder(folder: string): { release: () => void } {
  let lock: SqliteFile | null = null;
  try {
    lock = new sqliteModule.DatabaseSync(join(folder, 'service.lock'), { timeout: LOCK_WAIT_MS });
    lock.exec('begin exclusive');
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw notWritable(folder, (error as Error).message);
    throw new StartupError(
      `Another service already uses the data directory ${folder}. ` +
        'Stop it, or set SITEFLEET_DATA_DIR to another directory.',
    );
  }
  const held = lock;
  return { release: () => held.close() };
}

const SQLITE_BUSY = 5;

const notWritable = (folder: string, why: string): StartupError =>
  new StartupError(
    `The data directory ${folder} cannot be written (${why}). ` +
      'Set SITEFLEET_DATA_DIR to a directory that this user can write.',
  );
