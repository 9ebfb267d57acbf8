import assert from 'node:assert/strict';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const INSTALL = 'installplugintheme';

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('an installation of a killed process', function () {
  this.timeout(240_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    await directory.release('plugin', 'rig-alpha', '1.0');
    await directory.release('plugin', 'rig-alpha', '1.2');
    services = await ServiceFleet.start({ sites: 3, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
    for (const site of services.fleet.sites) putAlpha(site);
    await services.request(0, 'POST', '/api/v2/sites/sync');
  });
  after(async () => {
    await services.close();
    directory.close();
  });

  for (const [index, point, fault, calls] of [
    [0, 'before the site has begun', { kind: 'hang' }, 2],
    [1, 'after the site has installed', { kind: 'late', ms: 120_000 }, 1],
  ] as const)
    it(`when the process dies ${point}, then the site gets the version of the start, in ${calls} calls`, async () => {
      const site = services.fleet.sites[index] ?? assert.fail();
      site.faultQueue.push({ ...fault, function: INSTALL });
      const body = { type: 'plugin', slug: 'rig-alpha', version: '1.2' };
      const call = services.request(0, 'POST', `/api/v2/sites/${index + 1}/packages/install`, body);
      call.catch(() => undefined);
      await until(() => site.countOf(INSTALL) === 1, 'the call');
      if (calls === 1) await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.2', 'the installation');
      await services.kill(0);
      await services.restart(0);
      const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=install-package');
      const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
      const { installed, errors } = items[0].result;
      assert.deepEqual([errors, installed.old_version, installed.new_version], [[], '1.0', '1.2']);
      assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
      assert.equal(site.countOf(INSTALL), calls);
      const log = `/api/v2/changes?site_id=${index + 1}&contexts=plugin&actions=installed&source=dashboard`;
      const { data: changes } = await services.request(0, 'GET', log);
      assert.deepEqual(
        changes.map(({ before, after }: { before: object; after: object }) => [before, after]),
        [[{ version: '1.0' }, { version: '1.2' }]],
      );
    });

  it('when the process dies during a rollback, then the site is rolled back and pinned', async () => {
    const site = services.fleet.sites[2] ?? assert.fail();
    putAlpha(site, { version: '1.2' });
    await services.request(0, 'POST', '/api/v2/sites/3/sync');
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: INSTALL });
    const body = { type: 'plugin', slug: 'rig-alpha', version: '1.0' };
    services.request(0, 'POST', '/api/v2/sites/3/packages/rollback', body).catch(() => undefined);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.0', 'the installation');
    await services.kill(0);
    await services.restart(0);
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=rollback-package');
    const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
    const { rolled_back: rolledBack } = items[0].result;
    assert.deepEqual([rolledBack.old_version, rolledBack.new_version, rolledBack.pin], ['1.2', '1.0', '<1.2']);
    assert.equal(site.countOf(INSTALL), 1);
  });
});
