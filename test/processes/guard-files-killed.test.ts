import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const KILLS = 10;

/** Numbers that look random and are the same in each run, from 0 to 1. */
const momentOf = (index: number): number => ((index * 7919 + 104_729) % 1_000) / 1_000;

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('an update with a guard file in a killed process', function () {
  this.timeout(600_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    services = await ServiceFleet.start({ sites: KILLS, entry: 'main-without-https', env });
    for (const [index, site] of services.fleet.sites.entries()) {
      for (const plugin of site.state.plugins.values()) plugin.update = null;
      putAlpha(site);
      // Each call takes long enough for a kill within it.
      site.latencyMs = 60;
      if (index % 2 === 0) site.defects.dying.add(ALPHA_FILE);
    }
    await services.request(0, 'POST', '/api/v2/sites/sync');
    const ids = services.fleet.sites.map((_, index) => index + 1);
    await services.request(0, 'PUT', '/api/v2/settings/general/edit', { svc_guard_file_sites: ids });
  });
  after(async () => {
    await services.close();
    directory.close();
  });

  const versionOf = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;
  const siteAt = (index: number): SimulatedSite => services.fleet.sites[index] ?? assert.fail();

  for (let index = 0; index < KILLS; index++)
    it(`when it dies at moment ${index + 1} of ${KILLS}, then the site ends well and has no file`, async () => {
      const site = siteAt(index);
      const body = { type: ['plugins'], include: [index + 1], guard: 'parachute' };
      const callsBefore = site.requests.length;
      services.request(0, 'POST', '/api/v2/updates/update', body).catch(() => undefined);
      await until(() => site.requests.length > callsBefore, 'the first call of the update');
      await sleep(momentOf(index) * 1_500);
      await services.kill(0);
      await services.restart(0);
      const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=update');
      await services.finishedJob(0, jobs[0].job_id, 240_000);
      await until(async () => {
        const rows = await services.knex('guard_files').where({ site_id: index + 1 });
        return rows.length === 0;
      }, 'the removal of the file');
      assert.deepEqual([...site.state.guardFiles.keys()], []);
      const isBroken = site.defects.dying.size > 0;
      assert.equal(versionOf(site), isBroken ? '1.0' : '1.2');
      assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
    });
});
