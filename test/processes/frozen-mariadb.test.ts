import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createMariadbDatabase,
  mariadbIsInstalled,
  startMariadb,
  type PrivateMariadb,
} from '../../scripts/support/private-mariadb.ts';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { migrateUp } from '../../src/db/migrations/index.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

/** Longer than a statement takes on a busy machine, so only the frozen server exceeds it. */
const PATIENCE_MS = 4000;
const SITES = 12;

(process.env['TEST_DATABASE_URL'] && mariadbIsInstalled() ? describe : describe.skip)(
  'a MariaDB that is frozen',
  () => {
    let server: PrivateMariadb;
    let database: Database;
    let world: World;
    before(async () => {
      server = await startMariadb();
      const url = await createMariadbDatabase(server, 'frozen');
      database = openDatabase({ dialect: 'mysql', url, timeoutMs: PATIENCE_MS });
      await migrateUp(database.knex);
      world = await startWorld({ sites: SITES, overrides: { database }, fleet: { latencyMs: 150 } });
    });
    after(async () => {
      server.thaw();
      await world.close();
      await database.close();
      await server.stop();
    });

    it('when the server is frozen, then requests and /readyz get 503, and pool and jobs survive', async () => {
      const ids = world.siteIds;
      const job = world.ability<{ synced: unknown[]; errors: unknown[] }>('sync-sites-v1', {
        site_ids_or_domains: ids,
      });
      await sleep(50);
      server.freeze();
      const readiness = async (): Promise<void> => {
        const { text } = await world.agent('nobody').get('/readyz').expect(503);
        // The readiness check ended by its own limit, not by the longer one of statements.
        assert.match(text, /The database does not answer/);
      };
      const refused = async (): Promise<void> => {
        const { body, headers } = await world.request('GET', '/api/v2/sites', { expect: 503 });
        assert.equal(body.code, 'svc_database_unavailable');
        assert.equal(headers['retry-after'], String(body.data.retry_after_seconds));
      };
      // More requests than connections, so that some wait for one.
      await Promise.all([readiness(), ...Array.from({ length: 20 }, refused)]);
      server.thaw();

      await until(async () => (await world.agent('nobody').get('/readyz')).status === 200, 'the service to be ready');
      await Promise.all(Array.from({ length: 30 }, () => world.request('GET', '/api/v2/sites')));
      await world.request('POST', '/api/v2/tags/add', { body: { name: 'after the thaw' } });
      // The call may have met the frozen server. Its job continues.
      await job.catch(() => undefined);
      const { body } = await world.request('GET', '/api/v2/jobs');
      for (const { job_id } of body.data) {
        const done = await world.finishedJob(job_id, 40_000);
        assert.deepEqual([done.data.processed, done.data.total], [SITES, SITES]);
      }
      const after = await world.ability('sync-sites-v1', { site_ids_or_domains: ids });
      assert.equal(after.total_synced, SITES);
    });
  },
);
