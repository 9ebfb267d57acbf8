import { readdir } from 'node:fs/promises';
import { databaseReach } from './reach.ts';

export type DatabaseName = 'sqlite' | 'mariadb';

/**
 * What MariaDB does not repeat although it has a database, because that cannot change it: the wire, the contract's
 * documents, the validation before a handler, and what a site does to a call. A file that is not named here runs on
 * both, unless it asks for no database; the last lines of a run prove that every operation has gone well on either.
 */
export const ONCE = [
  'browser',
  'collections',
  'client-cli',
  'compat',
  'contract',
  'docs',
  'faults',
  'fuzz',
  'sdk',
  'workflows',
  'abilities/updates/many-sites.test.ts',
  'domains/domain-monitor/hostile.test.ts',
  'domains/ssl-monitor/hostile.test.ts',
  'mcp/door.test.ts',
  'mcp/stdio.test.ts',
  'mcp/tools.test.ts',
  'safety/addresses.test.ts',
  'v2/content/posts-exact.test.ts',
  'v2/content/posts-locked.test.ts',
  'v2/perf-audit/pagespeed.test.ts',
  'v2/pro-reports/pdf.test.ts',
  'v2/settings/limits.test.ts',
  'v2/settings/signatures.test.ts',
  // Services with the embedded database that is the default.
  'processes/beside-a-writer.test.ts',
  'processes/default-configuration.test.ts',
  'processes/packed.test.ts',
  'processes/startup.test.ts',
  'processes/stopping.test.ts',
];
/** Folders and files, the longest last: they come first, so that no process is left with one at the end. */
const LONGEST = [
  'v2/vulnerabilities',
  'v2/pro-reports',
  'v2/uptime',
  'contract',
  'safety',
  'mcp',
  'sdk',
  'compat',
  'fuzz',
  'faults',
  'docs',
  'processes',
  'browser',
];

/** Every file of tests, in the order in which they are taken. */
export async function allFiles(): Promise<string[]> {
  const files = (await readdir('test', { recursive: true })).filter((file) => file.endsWith('.test.ts')).sort();
  const rank = (file: string): number => LONGEST.findIndex((name) => file.startsWith(name));
  return files.sort((one, other) => rank(other) - rank(one)).map((file) => `test/${file}`);
}

const reachesDatabase = databaseReach();

export const isOnBoth = (file: string): boolean =>
  !ONCE.some((name) => file.startsWith(`test/${name}`)) && reachesDatabase(file);
