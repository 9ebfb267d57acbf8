import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const INSTALL = 'installplugintheme';

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('a guarded update of a killed process', function () {
  this.timeout(240_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2', '1.3']) await directory.release('plugin', 'rig-alpha', version);
    services = await ServiceFleet.start({ sites: 4, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
    for (const site of services.fleet.sites) {
      for (const plugin of site.state.plugins.values()) plugin.update = null;
      putAlpha(site);
    }
    await services.request(0, 'POST', '/api/v2/sites/sync');
  });
  after(async () => {
    await services.close();
    directory.close();
  });

  const versionOf = (site: SimulatedSite): string | undefined => site.state.plugins.get(ALPHA_FILE)?.version;

  /** Kills the process when `reached` is true, and returns the result of the item after the restart. */
  const killAt = async (index: number, guard: string, reached: (site: SimulatedSite) => boolean) => {
    const site = services.fleet.sites[index] ?? assert.fail();
    const body = { type: ['plugins'], include: [index + 1], guard };
    services.request(0, 'POST', '/api/v2/updates/update', body).catch(() => undefined);
    await until(() => reached(site), 'the moment of the kill');
    await services.kill(0);
    await services.restart(0);
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=update');
    const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
    return items[0].result;
  };

  it('when it dies before the site has begun, then the site gets the version of the start, not a newer one', async () => {
    const site = services.fleet.sites[0] ?? assert.fail();
    site.faultQueue.push({ kind: 'hang', function: INSTALL });
    const result = await killAt(0, 'plain', () => {
      const isSent = site.countOf(INSTALL) === 1;
      if (isSent) site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA_FILE, version: '1.3' });
      return isSent;
    });
    assert.deepEqual([result.errors, result.updated[0].new_version], [[], '1.2']);
    assert.deepEqual([versionOf(site), site.countOf(INSTALL)], ['1.2', 2]);
  });

  it('when it dies after a version has broken the site, then the next process puts the old one back', async () => {
    const site = services.fleet.sites[1] ?? assert.fail();
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: INSTALL });
    const { updated, errors } = await killAt(1, 'plain', () => versionOf(site) === '1.2');
    const [{ code, rollback }] = errors;
    assert.deepEqual([updated, code, rollback.result, rollback.pin], [[], 'svc_rolled_back', 'done', '<1.2']);
    assert.deepEqual([versionOf(site), site.countOf(INSTALL)], ['1.0', 2]);
  });

  it('when it dies while the old version is put back, then the next process finishes that', async () => {
    const site = services.fleet.sites[2] ?? assert.fail();
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    site.faultQueue.push({ kind: 'late', ms: 0, function: INSTALL }, { kind: 'hang', function: INSTALL });
    const { errors } = await killAt(2, 'plain', () => site.countOf(INSTALL) === 2);
    const [{ code, rollback }] = errors;
    assert.deepEqual([code, rollback.probe, versionOf(site)], ['svc_rolled_back', 'home_page', '1.0']);
  });

  it('when it dies while the plugin is deactivated, then the plugin is active in the new version', async () => {
    const site = services.fleet.sites[3] ?? assert.fail();
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: 'plugin_action' });
    const { updated, errors } = await killAt(3, 'careful', () => site.countOf('plugin_action') === 1);
    assert.deepEqual([errors, updated[0].new_version], [[], '1.2']);
    assert.deepEqual([versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active], ['1.2', true]);
  });
});
