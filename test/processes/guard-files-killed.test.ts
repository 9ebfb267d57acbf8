import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';

const INSTALL = 'installplugintheme';
const SITES = 10;
/** The updates begin one after another, so that the process dies at another moment of each. */
const BETWEEN_MS = 150;

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('an update with a guard file in a killed process', function () {
  this.timeout(600_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    services = await ServiceFleet.start({ sites: SITES + 1, entry: 'main-without-https', env });
    for (const [index, site] of services.fleet.sites.entries()) {
      for (const plugin of site.state.plugins.values()) plugin.update = null;
      putAlpha(site);
      // Each call takes long enough for a kill within it.
      site.latencyMs = 60;
      if (index < SITES && index % 2 === 0) site.defects.dying.add(ALPHA_FILE);
    }
    await services.request(0, 'POST', '/api/v2/sites/sync');
    const ids = services.fleet.sites.map((_, index) => index + 1);
    await services.request(0, 'PUT', '/api/v2/settings/general/edit', { svc_guard_file_sites: ids });
  });
  after(async () => {
    await services.close();
    directory.close();
  });

  it('when a visitor makes the file restore before the next process, then the update is not sent again', async () => {
    const site = services.fleet.sites[SITES] ?? assert.fail();
    site.defects.breaking.add(ALPHA_FILE);
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: INSTALL });
    const body = { type: ['plugins'], include: [SITES + 1], guard: 'parachute' };
    services.request(0, 'POST', '/api/v2/updates/update', body).catch(() => undefined);
    const versionOn = () => site.state.plugins.get(ALPHA_FILE)?.version;
    await until(() => versionOn() === '1.2', 'the installation');
    await services.kill(0);
    assert.equal((await fetch(site.url)).status, 500);
    assert.equal(versionOn(), '1.0');
    await services.restart(0);
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=update');
    const { items } = await services.finishedJob(0, jobs[0].job_id, 240_000);
    const [{ code, rollback }] = items[0].result.errors;
    assert.deepEqual([code, rollback.result, rollback.pin], ['svc_rolled_back', 'done', '<1.2']);
    assert.deepEqual([versionOn(), site.countOf(INSTALL)], ['1.0', 1]);
    await until(() => site.state.guardFiles.size === 0, 'the removal of the file');
  });

  it('when it dies at ten moments of an update, then each site ends well and has no file', async () => {
    const sites = services.fleet.sites.slice(0, SITES);
    for (const index of sites.keys()) {
      const body = { type: ['plugins'], include: [index + 1], guard: 'parachute' };
      services.request(0, 'POST', '/api/v2/updates/update', body).catch(() => undefined);
      await sleep(BETWEEN_MS);
    }
    await until(() => sites.every((site) => site.countOf('stats') > 1), 'the first call of each update');
    await services.kill(0);
    await services.restart(0);
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=update');
    assert.equal(jobs.length, sites.length + 1);
    for (const { job_id: id } of jobs) await services.finishedJob(0, id, 240_000);
    await until(async () => (await services.knex('guard_files')).length === 0, 'the removal of the files');
    for (const [index, site] of sites.entries()) {
      assert.deepEqual([...site.state.guardFiles.keys()], [], `site ${index}`);
      const { version, active } = site.state.plugins.get(ALPHA_FILE) ?? assert.fail();
      assert.deepEqual([version, active], [site.defects.dying.size > 0 ? '1.0' : '1.2', true], `site ${index}`);
    }
  });
});
