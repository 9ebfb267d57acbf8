import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, dropDatabase } from '../../scripts/support/server-database.ts';
import { openDatabase, type Database, type DatabaseTarget } from '../../src/db/database.ts';

/** Calls `work` with connections of `count` processes to a new, empty database. */
export async function withEmptyDatabase(
  count: number,
  work: (processes: readonly Database[]) => Promise<void>,
): Promise<void> {
  const server = process.env['TEST_DATABASE_URL'];
  const made = server ? await createDatabase(server) : null;
  const folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
  const target: DatabaseTarget = made
    ? { dialect: 'mysql', url: made.url }
    : { dialect: 'sqlite', file: join(folder, 'test.db') };
  const processes = Array.from({ length: count }, () => openDatabase(target));
  try {
    await work(processes);
  } finally {
    for (const each of processes) await each.close();
    await rm(folder, { recursive: true });
    if (made) await dropDatabase(made);
  }
}
