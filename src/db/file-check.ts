/** Program of a worker thread: checks the tables of a SQLite file one after the other and posts a `FileCheckResult`. */
import { parentPort, workerData } from 'node:worker_threads';
import { isDamage, withErrorCodes } from './drivers/sqlite-errors.ts';
import { sqliteModule, type SqliteFile } from './drivers/sqlite-module.ts';

export interface FileCheckInput {
  file: string;
  /** No further table is checked after this time, in milliseconds since 1970. */
  until: number;
}

export interface FileCheckResult {
  problems: string[];
  isComplete: boolean;
}

const OPENING_WAIT_MS = 5000;
const MAX_PROBLEMS = 10;

function checkFile({ file, until }: FileCheckInput, onComplete: () => void): string[] {
  const database = new sqliteModule.DatabaseSync(file, { readOnly: true, timeout: OPENING_WAIT_MS });
  try {
    const problems: string[] = [];
    for (const table of tablesOf(database)) {
      if (Date.now() > until) return problems;
      problems.push(...checkTable(database, table));
      if (problems.length >= MAX_PROBLEMS) break;
    }
    onComplete();
    return problems.slice(0, MAX_PROBLEMS);
  } finally {
    database.close();
  }
}

function tablesOf(database: SqliteFile): string[] {
  const rows = database.prepare(`select name from sqlite_schema where type = 'table' and rootpage > 0`).all();
  return ['sqlite_schema', ...(rows as { name: string }[]).map(({ name }) => name)];
}

/**
 * Checks a table. Each statement is a separate read transaction, so that a long check does not stop SQLite from
 * shortening the write-ahead log.
 */
function checkTable(database: SqliteFile, table: string): string[] {
  return collectDamage(() => {
    const rows = database.prepare(`pragma quick_check('${table.replaceAll("'", "''")}')`).all();
    return (rows as { quick_check: string }[]).map((row) => row.quick_check).filter((message) => message !== 'ok');
  }).map((message) => `${table}: ${message}`);
}

function collectDamage(check: () => string[]): string[] {
  try {
    return withErrorCodes(check);
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  }
}

const input = workerData as FileCheckInput;
let isComplete = false;
const problems = collectDamage(() => checkFile(input, () => (isComplete = true)));
parentPort?.postMessage({ problems, isComplete } satisfies FileCheckResult);
