import assert from 'node:assert/strict';
import { AJAX_PATH } from '../../../src/sandbox/outages.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { toFrame } from '../../support/frames.ts';
import { ALPHA_FILE, putAlpha, TestDirectory, type Alpha } from '../../support/packages.ts';
import { createTag } from '../../support/tags.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Answer of the child plugin if it cannot call its own site. */
const NO_LOOPBACK: Fault = {
  kind: 'raw',
  status: 200,
  body: toFrame({ error: 'wp_remote_post error: cURL error 7' }),
  function: 'bulk_settings_manager',
};
const INSTALL = 'installplugintheme';
const UPGRADE = 'upgradeplugintheme';

describe('guarded updates', () => {
  let world: World;
  let directory: TestDirectory;

  before(async () => {
    directory = await TestDirectory.start();
    for (const version of ['1.0', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const overrides = { deadlines: { pageAgainMs: 5, lookAgainMs: [2_000] } };
    world = await startWorld({ sites: 40, connect: 0, overrides, env: { SITEFLEET_DIRECTORY_URL: directory.url } });
  });
  after(async () => {
    await world.close();
    directory.close();
  });

  const fresh = async (alpha?: Alpha) => {
    const connected = await world.freshSite((site) => {
      putAlpha(site, alpha);
      for (const [file, plugin] of site.state.plugins) if (file !== ALPHA_FILE) plugin.update = null;
      for (const theme of site.state.themes.values()) theme.update = null;
      site.state.core.update = null;
      site.state.translations = [];
    });
    connected.site.requests.length = 0;
    return connected;
  };
  const run = async (id: number, body: object = {}) =>
    (await world.request('POST', '/api/v2/updates/update', { body: { include: [id], guard: 'plain', ...body } })).body;
  const pinsOf = async (id: number): Promise<string[]> =>
    (await world.request('GET', `/api/v2/pins?include=${id}`)).body.data.map(
      ({ version }: { version: string }) => version,
    );
  const changesOf = async (id: number): Promise<string[]> =>
    (await world.request('GET', `/api/v2/changes?site_id=${id}&contexts=plugin`)).body.data.map(
      ({ type, user }: Record<string, string>) => `${type} ${user}`,
    );

  it('when a site is well after an update, then the new version was installed from the vault', async () => {
    const { id, site } = await fresh();
    const { data, errors } = await run(id);
    assert.deepEqual(errors, []);
    const [{ old_version, new_version, unguarded }] = data;
    assert.deepEqual([old_version, new_version, unguarded], ['1.0', '1.2', undefined]);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [1, 0]);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.2');
    assert.deepEqual(await changesOf(id), ['plugin.updated admin']);
    assert.deepEqual(await pinsOf(id), []);
  });

  it('when the new version breaks the home page, then the old version is put back and the new one left out', async () => {
    const { id, site } = await fresh();
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    const { data, errors } = await run(id);
    assert.deepEqual(data, []);
    const [{ code, rollback }] = errors;
    assert.equal(code, 'svc_rolled_back');
    const { broken_seconds: seconds, cause, file, line, ...rest } = rollback;
    assert.deepEqual(rest, {
      result: 'done',
      old_version: '1.0',
      new_version: '1.2',
      probe: 'home_page',
      pin: '<1.2',
      left: ['database'],
    });
    assert.ok(seconds >= 1);
    assert.equal(cause, 'Uncaught Error: Call to undefined function no_such_function()');
    assert.deepEqual([file, line], ['/var/www/site/wp-content/plugins/page.php', 16]);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [2, 0]);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
    assert.deepEqual(await pinsOf(id), ['<1.2']);
    const changes = await changesOf(id);
    assert.ok(changes.includes('plugin.rolled_back admin'), changes.join());
    const { data: record } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
    assert.equal(record.broken_by_update, null);
  });

  for (const [fault, plant, probe] of [
    ['a parse error', 'unparsable', 'home_page'],
    ['a fatal error in init', 'breaking', 'home_page'],
    // The status of the home page is 200.
    ['die() in init', 'dying', 'admin_ajax'],
  ] as const)
    it(`when the new version has ${fault}, then a plain guard cannot put the old one back, and says so`, async () => {
      const { id, site } = await fresh();
      site.defects[plant].add(ALPHA_FILE);
      const { data, errors } = await run(id);
      assert.deepEqual(data, []);
      const [{ code, rollback }] = errors;
      assert.equal(code, 'svc_rollback_failed');
      assert.deepEqual([rollback.result, rollback.probe, rollback.pin], ['failed', probe, null]);
      assert.deepEqual([rollback.broken_seconds, rollback.left], [null, ['database', 'new_version']]);
      if (plant === 'unparsable')
        assert.deepEqual(
          [rollback.cause, rollback.file, rollback.line],
          ['syntax error, unexpected token "{"', `/var/www/site/wp-content/plugins/${ALPHA_FILE}`, 16],
        );
      const { data: record } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
      assert.equal(record.broken_by_update.updates[0].slug, ALPHA_FILE);
    });

  it('when the new version breaks a page that the home page links to, then the old version is put back', async () => {
    const { id, site } = await fresh();
    site.defects.breakingContent.add(ALPHA_FILE);
    const [{ code, rollback }] = (await run(id)).errors;
    assert.deepEqual([code, rollback.probe], ['svc_rolled_back', 'pages']);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
  });

  it('when a page was broken before the update, then the update is not blamed for it', async () => {
    const { id, site } = await fresh();
    site.fault = { kind: 'raw', status: 500, body: '', path: '/sample-page/' };
    const { data, errors } = await run(id);
    assert.deepEqual([errors, data[0].new_version], [[], '1.2']);
    assert.ok(site.requests.some(({ path }) => path === '/sample-page/'));
  });

  it('when the site cannot be reached after the update, then nothing is put back and the outcome is unknown', async () => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'late', ms: 500, function: INSTALL });
    const done = run(id);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.2', 'the installation');
    site.fault = { kind: 'refuse' };
    const { data, errors } = await done;
    assert.deepEqual([data, errors[0].code], [[], 'svc_outcome_unknown']);
    assert.match(errors[0].message, /because the site cannot be reached\. Nothing was put back\./);
    assert.deepEqual([site.countOf(INSTALL), site.state.plugins.get(ALPHA_FILE)?.version], [1, '1.2']);
    const { data: record } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
    assert.equal(record.broken_by_update, null);
  });

  /** Updates a site that answers with `fault` from the installation of the new version on. */
  const runWithFaultAfter = async (fault: Fault) => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'late', ms: 500, function: INSTALL });
    const done = run(id);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.2', 'the installation');
    site.fault = fault;
    const { data, errors } = await done;
    const { data: record } = (await world.request('GET', `/api/v2/sites/${id}`)).body;
    return { site, data, errors, record };
  };
  const retryAfter = { headers: { 'retry-after': '60' } };
  const maintained = '<title>Maintenance</title><body id="error-page"><div class="wp-die-message">Briefly</div></body>';

  for (const [page, path] of [
    ['the home page', '/'],
    ['another page', '/sample-page/'],
    ['admin-ajax.php', AJAX_PATH],
  ] as const)
    for (const [cause, answer] of [
      ['limits the rate of requests', { status: 429, body: 'Too many requests' }],
      ['names a time to retry', { status: 503, body: 'Back soon', ...retryAfter }],
      ['is in maintenance mode', { status: 503, body: maintained }],
    ] as const)
      it(`when ${page} ${cause} after the update, then nothing is put back, and the error says so`, async () => {
        const fault = { kind: 'raw', ...answer, path } as const;
        const { site, data, errors, record } = await runWithFaultAfter(fault);
        assert.deepEqual([data, errors[0].code], [[], 'svc_outcome_unknown']);
        assert.match(errors[0].message, new RegExp(`the site answers with HTTP ${answer.status} and seems to be busy`));
        assert.deepEqual([site.countOf(INSTALL), site.state.plugins.get(ALPHA_FILE)?.version], [1, '1.2']);
        assert.equal(record.broken_by_update, null);
      });

  it('when a 503 with a time to retry is the page of a fatal error, then the old version is put back', async () => {
    const { id, site } = await fresh();
    site.faultQueue.push({ kind: 'late', ms: 500, function: INSTALL });
    const done = run(id);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.2', 'the installation');
    const body = '<p>There has been a critical error on this website.</p>';
    site.fault = { kind: 'raw', status: 503, body, path: '/', ...retryAfter };
    await until(() => site.countOf(INSTALL) === 2, 'the old version');
    site.fault = null;
    const [{ code, rollback }] = (await done).errors;
    assert.deepEqual([code, rollback.probe], ['svc_rolled_back', 'pages']);
  });

  it('when a site is broken only at a later look, then the old version is put back then', async () => {
    const { id, site } = await fresh();
    site.defects.breakingPage.set(ALPHA_FILE, 500);
    site.faultQueue.push({ kind: 'late', ms: 500, function: INSTALL });
    const done = run(id);
    await until(() => site.state.plugins.get(ALPHA_FILE)?.version === '1.2', 'the installation');
    // The site does not answer until the item waits for its next look.
    site.fault = { kind: 'refuse' };
    await until(async () => (await postponed(world)) === 1, 'the item to wait');
    site.fault = null;
    const [{ code, rollback }] = (await done).errors;
    assert.deepEqual([code, rollback.result], ['svc_rolled_back', 'done']);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
  });

  it('when the call that puts the old version back is lost once, then it is repeated', async () => {
    for (const lost of [{ kind: 'raw', status: 502, body: '' }, { kind: 'refuse' }] as const) {
      const { id, site } = await fresh();
      site.defects.breakingPage.set(ALPHA_FILE, 500);
      site.faultQueue.push({ kind: 'late', ms: 0, function: INSTALL }, { ...lost, function: INSTALL });
      const { errors } = await run(id);
      assert.deepEqual([errors[0].code, site.state.plugins.get(ALPHA_FILE)?.version], ['svc_rolled_back', '1.0']);
    }
  });

  const reachOf = (id: number) => world.container.services.packages.reach.known(id);

  it('when a dead site does not download the old version, then it is not said to be unable to download', async () => {
    const { id, site } = await fresh();
    site.defects.breaking.add(ALPHA_FILE);
    assert.equal((await run(id)).errors[0].code, 'svc_rollback_failed');
    assert.deepEqual([await reachOf(id), site.countOf(INSTALL)], [true, 3]);
  });

  for (const [cause, fault] of [
    ['limits the rate of calls', { kind: 'raw', status: 429, body: '' }],
    ['is busy', { kind: 'raw', status: 503, body: 'Back soon' }],
  ] as const)
    it(`when a site ${cause}, then it is not said to be unable to download`, async () => {
      const { id, site } = await fresh();
      site.fault = { ...fault, function: INSTALL };
      assert.equal((await run(id)).errors[0].code, 'svc_site_refused');
      assert.equal(await reachOf(id), null);
    });

  it('when a careful guard updates an active plugin, then it is deactivated before and activated after', async () => {
    const { id, site } = await fresh();
    const { data, errors } = await run(id, { guard: 'careful' });
    assert.deepEqual([errors, data[0].new_version], [[], '1.2']);
    const actions = site.requests.flatMap(({ function: name, fields }) =>
      name === 'plugin_action' ? [fields['action']] : name === INSTALL ? [name] : [],
    );
    assert.deepEqual(actions, ['deactivate', INSTALL, 'activate']);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
  });

  it('when a careful guard meets a parse error, then the site was never broken and has the old version', async () => {
    const { id, site } = await fresh();
    site.defects.unparsable.add(ALPHA_FILE);
    const { errors } = await run(id, { guard: 'careful' });
    const [{ code, rollback }] = errors;
    assert.equal(code, 'svc_rolled_back');
    assert.deepEqual([rollback.probe, rollback.broken_seconds, rollback.left], [null, 0, ['database']]);
    const { version, active } = site.state.plugins.get(ALPHA_FILE) ?? {};
    assert.deepEqual([version, active], ['1.0', true]);
    assert.deepEqual(await pinsOf(id), ['<1.2']);
  });

  it('when a careful guard meets a fatal error in init, then the rollback fails', async () => {
    const { id, site } = await fresh();
    site.defects.breaking.add(ALPHA_FILE);
    const [{ code, rollback }] = (await run(id, { guard: 'careful' })).errors;
    assert.equal(code, 'svc_rollback_failed');
    assert.deepEqual([rollback.probe, rollback.left], ['home_page', ['database', 'new_version']]);
  });

  it('when a careful update fails to install, then the plugin is active again in the old version', async () => {
    const { id, site } = await fresh();
    // The package is sent from the service, and then from the directory.
    site.faultQueue.push({ kind: 'raw', status: 500, body: '', function: INSTALL, times: 2 });
    const [{ code }] = (await run(id, { guard: 'careful' })).errors;
    assert.equal(code, 'svc_update_failed');
    const { version, active } = site.state.plugins.get(ALPHA_FILE) ?? {};
    assert.deepEqual([version, active], ['1.0', true]);
  });

  it('when a plugin is active in a network, then a careful guard refuses it, and nothing is sent', async () => {
    const { id, site } = await fresh();
    site.defects.networkActive.add(ALPHA_FILE);
    const [{ code, reason }] = (await run(id, { guard: 'careful' })).errors;
    assert.deepEqual([code, reason], ['svc_guard_failed', 'network_active']);
    assert.deepEqual([site.countOf('plugin_action'), site.countOf(INSTALL)], [0, 0]);
  });

  it('when a plugin is active on the main site of a multisite only, then a careful guard updates it', async () => {
    const { id, site } = await fresh();
    site.defects.isMultisite = true;
    const { data, errors } = await run(id, { guard: 'careful' });
    assert.deepEqual([errors, data[0].new_version], [[], '1.2']);
    assert.equal(site.state.plugins.get(ALPHA_FILE)?.active, true);
  });

  for (const [what, furnish] of [
    ['the child plugin cannot open its own pages', (site) => (site.defects.visitedPage = '<h1>401 Unauthorized</h1>')],
    ['the child plugin cannot call its own site', (site) => void site.faultQueue.push(NO_LOOPBACK)],
    ['the administrator has no rights in the network', (site) => (site.defects.hasNetworkRights = false)],
  ] satisfies [string, (site: SimulatedSite) => void][])
    it(`when ${what}, then a careful guard refuses the plugins of a multisite, and nothing is sent`, async () => {
      const { id, site } = await fresh();
      site.defects.networkActive.add(ALPHA_FILE);
      furnish(site);
      const [{ code, reason }] = (await run(id, { guard: 'careful' })).errors;
      assert.deepEqual([code, reason], ['svc_guard_failed', 'network_unknown']);
      assert.deepEqual([site.countOf('plugin_action'), site.countOf(INSTALL)], [0, 0]);
    });

  it('when a plugin is inactive, then a careful guard leaves it inactive', async () => {
    const { id, site } = await fresh({ active: false });
    const { data } = await run(id, { guard: 'careful' });
    assert.equal(data[0].new_version, '1.2');
    assert.deepEqual([site.countOf('plugin_action'), site.state.plugins.get(ALPHA_FILE)?.active], [0, false]);
  });

  it('when the installed version has no package, then the update is not sent unless it is forced', async () => {
    const { id, site } = await fresh({ version: '1.1' });
    const { data, errors } = await run(id);
    assert.deepEqual([data, errors[0].code, errors[0].slug], [[], 'svc_no_fallback', ALPHA_FILE]);
    assert.match(errors[0].message, /Rig Alpha/);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [0, 0]);
    const forced = await run(id, { force: true });
    assert.deepEqual([forced.errors, forced.data[0].new_version, forced.data[0].unguarded], [[], '1.2', true]);
    assert.deepEqual([site.countOf(INSTALL), site.countOf(UPGRADE)], [1, 0]);
  });

  it('when force is sent without a guard, then the request is rejected', async () => {
    const { id } = await fresh();
    const body = { include: [id], force: true };
    const { body: refused } = await world.request('POST', '/api/v2/updates/update', { body, expect: 400 });
    assert.match(refused.message, /force must only be set together with guard or rings/);
  });

  it('when a ring has a site that was put back, then the run stops and the next ring does not start', async () => {
    const [canary, other] = [await fresh(), await fresh()];
    await createTag(world, 'guarded', canary.id);
    canary.site.defects.breakingPage.set(ALPHA_FILE, 500);
    const { job_id } = await run(canary.id, { include: [canary.id, other.id], guard: undefined, rings: ['guarded'] });
    const { data, items } = await world.finishedJob(job_id);
    assert.deepEqual(
      data.rings.map(({ state }: { state: string }) => state),
      ['broken', 'not_begun'],
    );
    const item = items.find(({ site_id }: { site_id: number }) => site_id === canary.id);
    assert.equal(item.state, 'failed');
    assert.equal(item.result.errors[0].rollback.result, 'done');
    assert.equal(other.site.state.plugins.get(ALPHA_FILE)?.version, '1.0');
  });
});

/** Returns the number of items that have a result and wait for another look. */
const postponed = async ({
  container: {
    database: { knex },
  },
}: World): Promise<number> =>
  Number((await knex('job_items').where({ state: 'waiting' }).whereNotNull('result').count({ n: '*' }).first())?.n);
