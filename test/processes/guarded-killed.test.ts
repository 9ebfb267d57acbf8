import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const INSTALL = 'installplugintheme';
const SWITCH = 'plugin_action';

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('a guarded update of a killed process', function () {
  this.timeout(240_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2', '1.3']) await directory.release('plugin', 'rig-alpha', version);
    services = await ServiceFleet.start({ sites: 8, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
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
  const killAt = async (
    index: number,
    guard: string,
    reached: (site: SimulatedSite) => boolean,
    beforeKill: (jobId: string) => Promise<unknown> = () => Promise.resolve(),
  ) => {
    const site = services.fleet.sites[index] ?? assert.fail();
    const body = { type: ['plugins'], include: [index + 1], guard };
    services.request(0, 'POST', '/api/v2/updates/update', body).catch(() => undefined);
    await until(() => reached(site), 'the moment of the kill');
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=update');
    await beforeKill(jobs[0].job_id);
    await services.kill(0);
    await services.restart(0);
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

  it('when its job was canceled before it dies, then the next process still puts the old version back', async () => {
    const site = services.fleet.sites[7] ?? assert.fail();
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: INSTALL });
    const { updated, errors } = await killAt(
      7,
      'plain',
      () => versionOf(site) === '1.2',
      (jobId) => services.request(0, 'DELETE', `/api/v2/jobs/${jobId}`),
    );
    assert.deepEqual([updated, errors[0].code, errors[0].rollback.result], [[], 'svc_rolled_back', 'done']);
    assert.equal(versionOf(site), '1.0');
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
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: SWITCH });
    const { updated, errors } = await killAt(3, 'careful', () => site.countOf(SWITCH) === 1);
    assert.deepEqual([errors, updated[0].new_version], [[], '1.2']);
    assert.deepEqual([versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active], ['1.2', true]);
  });

  for (const [index, moment, functionName, count] of [
    [4, 'the new version is installed while the plugin is inactive', INSTALL, 1],
    [5, 'the new version is activated', SWITCH, 2],
  ] as const)
    it(`when it dies while ${moment}, then the plugin is active in the new version`, async () => {
      const site = services.fleet.sites[index] ?? assert.fail();
      if (functionName === SWITCH) site.faultQueue.push({ kind: 'late', ms: 0, function: SWITCH });
      site.faultQueue.push({ kind: 'hang', function: functionName });
      const { updated, errors } = await killAt(index, 'careful', () => site.countOf(functionName) === count);
      assert.deepEqual([errors, updated[0].new_version], [[], '1.2']);
      assert.deepEqual([versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active], ['1.2', true]);
    });

  it('when it dies while the old version is activated again, then the plugin is active in the old version', async () => {
    const site = services.fleet.sites[6] ?? assert.fail();
    site.defects.unparsable.add(ALPHA_FILE);
    const pass = { kind: 'late', ms: 0, function: SWITCH } as const;
    site.faultQueue.push(pass, pass, { kind: 'hang', function: SWITCH });
    const { errors } = await killAt(6, 'careful', () => site.countOf(SWITCH) === 3);
    assert.deepEqual([errors[0].code, errors[0].rollback.left], ['svc_rolled_back', ['database']]);
    assert.deepEqual([versionOf(site), site.state.plugins.get(ALPHA_FILE)?.active], ['1.0', true]);
  });
});
