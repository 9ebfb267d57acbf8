import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchService } from '../../scripts/bench/processes.ts';
import { sqliteModule } from '../../src/db/drivers/sqlite-module.ts';
import { runEntry, startBuiltService, testEnvironment } from '../support/service-process.ts';
import { until } from '../support/until.ts';

// Runs on SQLite only: a server checks its own pages.

interface Readiness {
  status: string;
  integrity?: string;
  reasons: Record<string, string>;
}

const REASON = 'The database file is damaged. Stop the service and restore a backup.';

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('a damaged database file', function () {
  this.timeout(180_000);
  let environment: Awaited<ReturnType<typeof testEnvironment>>;
  let service: BenchService | null;
  beforeEach(async () => {
    environment = await testEnvironment();
    service = null;
    // The service would have the pages in memory that it has written itself.
    assert.equal((await runEntry('cli', ['migrate', 'up'], environment.env)).code, 0);
  });
  afterEach(async () => {
    await service?.stop();
    await environment.remove();
  });

  /** Overwrites the first page of a table. */
  const damage = async (table: string): Promise<void> => {
    const file = join(environment.env['SITEFLEET_DATA_DIR'] ?? '', 'sitefleet.db');
    const database = new sqliteModule.DatabaseSync(file, { timeout: 5000 });
    database.exec('pragma wal_checkpoint(truncate)');
    const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
      rootpage: number;
    };
    const { page_size } = database.prepare('pragma page_size').get() as { page_size: number };
    database.close();
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(page_size, 0x5a), 0, page_size, (row.rootpage - 1) * page_size);
    await handle.close();
  };
  const readiness = async (): Promise<[number, Readiness]> => {
    const response = await fetch(`${service?.url}/readyz`);
    return [response.status, (await response.json()) as Readiness];
  };
  const integrity = async (state: string): Promise<void> =>
    until(async () => (await readiness())[1].integrity === state, `the file to be ${state}`);
  const damageReports = (): string[] =>
    (service?.errors() ?? []).flatMap((chunk) => chunk.split('\n')).filter((line) => line.includes('is damaged'));

  it('when a page was damaged before the start, then the check finds it and the service is not ready', async () => {
    await damage('tags');
    service = await startBuiltService(environment.env);
    await integrity('damaged');
    assert.deepEqual(await readiness(), [
      503,
      { status: 'not ready', integrity: 'damaged', reasons: { database_file: REASON } },
    ]);
    await until(() => damageReports().length > 0, 'the line in the log');
    assert.match(damageReports().join('\n'), /tags: /);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^sitefleet_database_damaged 1$/m);
  });

  it('when a statement meets a damaged page, then the service is not ready and logs it once', async () => {
    service = await startBuiltService(environment.env);
    await integrity('ok');
    assert.deepEqual(await readiness(), [200, { status: 'ready', integrity: 'ok', reasons: {} }]);
    await damage('tags');
    const headers = { authorization: service.authorization, 'content-type': 'application/json' };
    for (let count = 0; count < 3; count++) {
      const body = JSON.stringify({ name: `tag ${count}` });
      const response = await fetch(`${service.url}/api/v2/tags/add`, { method: 'POST', headers, body });
      assert.equal(response.status, 503);
      assert.equal(((await response.json()) as { code: string }).code, 'svc_database_unavailable');
    }
    assert.deepEqual(await readiness(), [
      503,
      { status: 'not ready', integrity: 'damaged', reasons: { database_file: REASON } },
    ]);
    await service.stop();
    assert.equal(damageReports().length, 1, damageReports().join('\n'));
  });
});
