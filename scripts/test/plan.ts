import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { relative } from 'node:path';
import { reachOf, textOfFile, type ReadText } from './reach.ts';

export type DatabaseName = 'sqlite' | 'mariadb';

/** A test reads this variable to use the database of the run. */
const DATABASE = /process\.env\['TEST_DATABASE_URL'\]/;
/** A test file says so with the reason why MariaDB cannot change its result. */
const SQLITE_ONLY = /^\/\/ Runs on SQLite only: \S/m;
/** A test file or its support says so. */
const DOCS = /^\/\/ Needs generated\/docs\./m;

export const databaseReach = (textOf?: ReadText): ((file: string) => boolean) => reachOf(DATABASE, textOf);

/** True if the file runs only on SQLite although it uses the database of the run. */
export const isSqliteOnly = (file: string): boolean => SQLITE_ONLY.test(textOfFile(file) ?? '');

const reachesDatabase = databaseReach();
/** The last lines of a full run show that each operation succeeded on both databases. */
export const runsOnBothDatabases = (file: string): boolean => reachesDatabase(file) && !isSqliteOnly(file);

export const needsDocs = reachOf(DOCS);

/** Returns every test file, sorted by name. */
export async function allFiles(): Promise<string[]> {
  const names = await readdir('test', { recursive: true });
  return names
    .filter(isTest)
    .map((name) => `test/${name}`)
    .sort();
}

/**
 * Returns the test files for the arguments of the command: files, folders and globs (`*`, `**`, `?`). Throws if an
 * argument names none.
 */
export function filesAt(paths: readonly string[], all: readonly string[]): string[] {
  const chosen = paths.flatMap((argument) => {
    const path = relative('', argument);
    const glob = globOf(path);
    const files = all.filter((file) => file === path || path === '' || file.startsWith(`${path}/`) || glob.test(file));
    if (files.length === 0) throw new Error(problemOf(argument, path));
    return files;
  });
  return [...new Set(chosen)];
}

const isTest = (name: string): boolean => name.endsWith('.test.ts');

function problemOf(argument: string, path: string): string {
  if (/[*?]/.test(argument)) return `No test file matches ${argument}.`;
  if (!existsSync(path)) return `There is no file or folder ${argument}.`;
  return isTest(path) || !/\.\w+$/.test(path)
    ? `${argument} has no test files.`
    : `${argument} is not a test file: its name must end in .test.ts.`;
}

function globOf(path: string): RegExp {
  const parts = path.split(/(\*\*\/|\*|\?)/).map((part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
