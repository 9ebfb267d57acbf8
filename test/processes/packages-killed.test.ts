import assert from 'node:assert/strict';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet } from '../support/service-fleet.ts';
import { eventually, until } from '../support/until.ts';

const INSTALL = 'installplugintheme';
/** The child switches automatic updates by a visit of its own pages. */
const SWITCH = 'bulk_settings_manager';
const ALPHA = { type: 'plugin', slug: 'rig-alpha' };

/** On MariaDB one of two processes is killed. On SQLite the only process is restarted. */
describe('an installation, a rollback or a pin of a killed process', function () {
  this.timeout(600_000);
  let services: ServiceFleet;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    await directory.release('plugin', 'rig-alpha', '1.0');
    await directory.release('plugin', 'rig-alpha', '1.2');
    services = await ServiceFleet.start({ sites: 12, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
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

  for (const [index, point, fault, reached, calls] of [
    [2, 'while the site is read before the rollback', { kind: 'hang', function: 'stats' }, 'stats', 1],
    [3, 'before the site has begun the rollback', { kind: 'hang', function: INSTALL }, INSTALL, 2],
    [4, 'after the site has rolled back', { kind: 'late', ms: 120_000, function: INSTALL }, INSTALL, 1],
    [5, 'before the automatic update is switched off', { kind: 'hang', function: SWITCH }, SWITCH, 1],
    [6, 'after the automatic update is switched off', { kind: 'late', ms: 120_000, function: SWITCH }, SWITCH, 1],
  ] as const)
    it(`when the process dies ${point}, then the next one rolls the site back and pins it`, async () => {
      const site = services.fleet.sites[index] ?? assert.fail();
      putAlpha(site, { version: '1.2' });
      site.state.autoUpdates.plugin.add(ALPHA_FILE);
      await services.request(0, 'POST', `/api/v2/sites/${index + 1}/sync`);
      const [stats, before] = [site.countOf('stats'), reached === 'stats' ? site.countOf('stats') : 0];
      site.faultQueue.push(fault);
      const body = { type: 'plugin', slug: 'rig-alpha', version: '1.0' };
      services.request(0, 'POST', `/api/v2/sites/${index + 1}/packages/rollback`, body).catch(() => undefined);
      await until(() => site.countOf(reached) === before + 1, `the call of ${reached}`);
      if (fault.kind === 'late' && reached === INSTALL)
        await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.0', 'the installation');
      if (fault.kind === 'late' && reached === SWITCH)
        await until(() => !site.state.autoUpdates.plugin.has(ALPHA_FILE), 'the switch');
      await services.kill(0);
      await services.restart(0);
      const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=rollback-package');
      const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
      const { rolled_back: rolledBack, errors } = items[0].result;
      assert.deepEqual([errors, rolledBack.old_version, rolledBack.new_version], [[], '1.2', '1.0']);
      assert.equal(rolledBack.pin, '<1.2');
      assert.deepEqual([site.countOf(INSTALL), site.countOf('stats') > stats], [calls, true]);
      assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
      assert.ok(!site.state.autoUpdates.plugin.has(ALPHA_FILE));
      const { data: pins } = await services.request(0, 'GET', `/api/v2/pins?include=${index + 1}`);
      assert.deepEqual(
        pins.map(({ version, auto_update }: Record<string, string>) => [version, auto_update]),
        [['<1.2', 'off']],
      );
      const log = `/api/v2/changes?site_id=${index + 1}&contexts=plugin&actions=installed&source=dashboard`;
      assert.equal((await services.request(0, 'GET', log)).data.length, 1);
    });

  for (const [index, point, fault] of [
    [7, 'while the site is read', { kind: 'hang', function: 'stats' }],
    [8, 'while the plugin is activated', { kind: 'hang', function: INSTALL }],
  ] as const)
    it(`when the process dies ${point}, then the plugin has the version of the start, and is active`, async () => {
      const site = services.fleet.sites[index] ?? assert.fail();
      putAlpha(site, { active: false });
      await services.request(0, 'POST', `/api/v2/sites/${index + 1}/sync`);
      const before = site.countOf(fault.function);
      site.faultQueue.push(fault);
      const body = { type: 'plugin', slug: 'rig-alpha', version: '1.2', activate: true };
      services.request(0, 'POST', `/api/v2/sites/${index + 1}/packages/install`, body).catch(() => undefined);
      await until(() => site.countOf(fault.function) === before + 1, 'the call');
      // A newer version is offered and in the vault when the next process continues.
      await directory.release('plugin', 'rig-alpha', '1.3');
      await services.request(0, 'POST', '/api/v2/packages/fetch', { ...ALPHA, version: '1.3' });
      site.performWpAdminAction({ do: 'release-plugin', plugin: ALPHA_FILE, version: '1.3' });
      await services.kill(0);
      await services.restart(0);
      const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=install-package');
      const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
      const { installed, errors } = items[0].result;
      assert.deepEqual([errors, installed.new_version, installed.active], [[], '1.2', true]);
      const { version, active } = site.state.plugins.get(ALPHA_FILE) ?? {};
      assert.deepEqual([version, active], ['1.2', true]);
    });

  for (const [index, point, fault] of [
    [9, 'before the site has switched', { kind: 'hang', function: SWITCH }],
    [10, 'after the site has switched', { kind: 'late', ms: 120_000, function: SWITCH }],
  ] as const)
    it(`when the process dies while a pin is set and freed, ${point}, then the next one ends that`, async () => {
      const site = services.fleet.sites[index] ?? assert.fail();
      const automatic = site.state.autoUpdates.plugin;
      automatic.add(ALPHA_FILE);
      const selection = { type: 'plugin', slug: ALPHA_FILE, websites: [index + 1] };
      const query = `type=plugin&slug=${ALPHA_FILE}&websites=${index + 1}&auto_update=true`;
      for (const [kind, send, isOn] of [
        ['pin', () => services.request(0, 'POST', '/api/v2/pins', { ...selection, version: '1.x' }), false],
        ['unpin', () => services.request(0, 'DELETE', `/api/v2/pins?${query}`), true],
      ] as const) {
        const before = site.countOf(SWITCH);
        site.faultQueue.push(fault);
        send().catch(() => undefined);
        await until(() => site.countOf(SWITCH) === before + 1, 'the call');
        if (fault.kind === 'late') await until(() => automatic.has(ALPHA_FILE) === isOn, 'the switch');
        await services.kill(0);
        await services.restart(0);
        const { data: jobs } = await services.request(0, 'GET', `/api/v2/jobs?type=${kind}`);
        const { data } = await services.finishedJob(0, jobs[0].job_id, 120_000);
        assert.deepEqual([data.status, automatic.has(ALPHA_FILE)], ['completed', isOn], kind);
        const { data: pins } = await services.request(0, 'GET', `/api/v2/pins?include=${index + 1}`);
        assert.deepEqual(
          pins.map(({ version, auto_update }: Record<string, string>) => [version, auto_update]),
          isOn ? [] : [['1.x', 'off']],
        );
      }
    });

  it('when the site cannot be read after the process died, then it is checked later, and the fleet is pinned', async () => {
    const [index, site] = [11, services.fleet.sites[11] ?? assert.fail()];
    putAlpha(site, { version: '1.2' });
    await services.request(0, 'POST', `/api/v2/sites/${index + 1}/sync`);
    site.faultQueue.push({ kind: 'late', ms: 120_000, function: INSTALL });
    const body = { type: 'plugin', slug: 'rig-alpha', version: '1.0', skip: 'fleet' };
    services.request(0, 'POST', `/api/v2/sites/${index + 1}/packages/rollback`, body).catch(() => undefined);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.0', 'the installation');
    await services.kill(0);
    const stats = site.countOf('stats');
    site.fault = { kind: 'raw', status: 503, body: '', function: 'stats' };
    await services.restart(0);
    await until(() => site.countOf('stats') > stats, 'the reading', 60_000);
    const { data: jobs } = await services.request(0, 'GET', '/api/v2/jobs?type=rollback-package');
    const read = async () => (await services.request(0, 'GET', `/api/v2/jobs/${jobs[0].job_id}`)).items[0];
    await eventually(async () => (await read()).state !== 'running', 'the item to be postponed');
    assert.equal((await read()).state, 'waiting');
    site.fault = null;
    const { items } = await services.finishedJob(0, jobs[0].job_id, 120_000);
    const { rolled_back: rolledBack, errors } = items[0].result;
    assert.deepEqual([errors, rolledBack.new_version, rolledBack.pin], [[], '1.0', '<1.2']);
    assert.equal(site.countOf(INSTALL), 1);
    const pins = async () => (await services.request(0, 'GET', '/api/v2/pins?include=1')).data;
    await eventually(async () => (await pins())[0]?.version === '<1.2', 'the pin of another site');
  });
});
