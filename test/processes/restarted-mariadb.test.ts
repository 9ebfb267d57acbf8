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
import { syncSites } from '../support/sites.ts';
import { ALPHA, BETA, releaseUpdates, startWorldWithoutUpdates } from '../support/updates.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

const SITES = 24;
const isUpdate = ({ function: name }: { function: string }): boolean => name === 'upgradeplugintheme';

(process.env['TEST_DATABASE_URL'] && mariadbIsInstalled() ? describe : describe.skip)(
  'a MariaDB that is killed and restarted',
  () => {
    let server: PrivateMariadb;
    let database: Database;
    let world: World;
    before(async () => {
      server = await startMariadb({ careful: true });
      database = openDatabase({ dialect: 'mysql', url: await createMariadbDatabase(server, 'restarted') });
      await migrateUp(database.knex);
      world = await startWorldWithoutUpdates(SITES, {
        env: { SITEFLEET_LEASE: '5' },
        fleet: { requestLog: 400 },
        overrides: { database },
      });
    });
    after(async () => {
      await world.close();
      await database.close();
      await server.stop();
    });

    it('when it happens during an update, then no item fails, no update is sent twice, and the 503 names the job', async () => {
      for (const site of world.fleet.sites) {
        releaseUpdates(site, { plugins: [ALPHA, BETA] });
        site.latencyMs = 300;
      }
      await syncSites(world);
      for (const site of world.fleet.sites) site.requests.length = 0;
      const updating = world.agent().post('/api/v2/updates/update').send({ type: 'plugins' });
      const [refused] = await Promise.all([updating, restart()]);
      assert.equal(refused.status, 503);
      const { code, data } = refused.body as { code: string; data: { job_id: string } };
      assert.equal(code, 'svc_database_unavailable');

      const { data: job } = await world.finishedJob(data.job_id);
      assert.deepEqual([job.status, job.total, job.succeeded, job.failed], ['completed', SITES, SITES, 0]);
      for (const site of world.fleet.sites) {
        const sent = site.requests.filter(isUpdate).map(({ fields }) => String(fields['list']));
        assert.equal(new Set(sent).size, sent.length, `${site.url} got ${sent.join()}`);
      }
    });

    async function restart(): Promise<void> {
      const isUpdated = (): boolean => world.fleet.sites.some(({ requests }) => requests.some(isUpdate));
      await until(isUpdated, 'the first update');
      await server.kill();
      await sleep(1200);
      await server.restart();
    }
  },
);
