import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { sqliteModule } from '../../src/db/drivers/sqlite-module.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { MINUTE } from '../../src/shared/clock.ts';
import { ALPHA, installInactivePlugins } from '../support/inventory.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

// Runs on SQLite only: the test locks the file of the database.

const PATIENCE_MS = 200;

(process.env['TEST_DATABASE_URL'] ? describe.skip : describe)('503 and idempotency keys', () => {
  let folder: string;
  let database: Database;
  let world: World;
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sitefleet-test-'));
    database = openDatabase({ dialect: 'sqlite', file: join(folder, 'test.db'), timeoutMs: PATIENCE_MS });
    await migrateUp(database.knex);
    world = await startWorld({ sites: 2, connect: 0, overrides: { database, clock } });
    for (let index = 0; index < 2; index++) await world.freshSite(installInactivePlugins);
  });
  after(async () => {
    await world.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (path: string, key: string, body: object, expect: number) =>
    world.request('POST', path, { headers: { 'idempotency-key': key }, body, expect });

  /** Locks the file while the site works on the call, until its response has been sent. */
  async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
    const site = world.site(0);
    site.latencyMs = 100;
    const calls = site.requests.length;
    const other = new sqliteModule.DatabaseSync(join(folder, 'test.db'));
    const result = work();
    await until(() => site.requests.length > calls, 'the call to reach the site');
    other.exec('begin immediate');
    try {
      return await result;
    } finally {
      other.close();
      site.latencyMs = 0;
    }
  }

  for (const [operation, more, status] of [
    ['delete-site-plugins-v1', { confirm: true }, 409],
    ['deactivate-site-plugins-v1', {}, 200],
  ] as const)
    it(`when the database is away after ${operation} was sent, then the key gets ${status}`, async () => {
      const key = randomUUID();
      const body = { input: { site_id_or_domain: world.siteId(0), slugs: [ALPHA], ...more } };
      const path = `/abilities/v1/svc/${operation}/run`;
      const first = await whileLocked(() => send(path, key, body, 503));
      assert.equal(first.body.code, 'svc_database_unavailable');
      clock.ahead += 2 * MINUTE;
      const { body: again, headers } = await send(path, key, body, status);
      assert.equal(headers['idempotency-replayed'], undefined);
      if (status === 409) assert.deepEqual([again.code, again.data.interrupted], ['svc_idempotency_in_progress', true]);
    });

  it('when a site could not be reached, then the same key is sent again', async () => {
    const id = world.siteId(1);
    const { url } = await database.knex('sites').where({ id }).first<{ url: string }>('url');
    await world.closeAddress(id);
    const key = randomUUID();
    const body = { input: { site_id_or_domain: id, slugs: [ALPHA] } };
    const path = '/abilities/v1/svc/deactivate-site-plugins-v1/run';
    const { body: first } = await send(path, key, body, 503);
    assert.deepEqual([first.code, first.data.outcome], ['svc_site_unreachable', 'not_run']);
    await database.knex('sites').where({ id }).update({ url });
    const again = await send(path, key, body, 200);
    assert.equal(again.headers['idempotency-replayed'], undefined);
  });
});
