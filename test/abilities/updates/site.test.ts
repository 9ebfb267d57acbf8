import assert from 'node:assert/strict';
import { readChangesOf } from '../../support/changes.ts';
import { syncSites } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import {
  ALPHA,
  removeItemsWithUpdates,
  BETA,
  itemErrorCodes,
  GAMMA,
  readUpdates,
  upgradeCallsOf,
  releaseUpdates,
  type UpdateEntry,
} from '../../support/updates.ts';

const WRITES = [
  'update-site-core-v1',
  'update-site-plugins-v1',
  'update-site-themes-v1',
  'update-site-translations-v1',
] as const;

describe('updates of one site', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 20, connect: 0 });
  });
  after(() => world.close());

  const freshSite = (what: Parameters<typeof releaseUpdates>[1] = {}) =>
    world.freshSite((site) => {
      removeItemsWithUpdates(site);
      releaseUpdates(site, what);
    });
  const run = (name: (typeof WRITES)[number], id: number, more: object = {}, expect = 200) =>
    world.ability(name, { site_id_or_domain: id, ...more }, { expect });

  describe('get-site-updates-v1', () => {
    it('when updates are listed, then they are sorted by type and slug, and the site is not called', async () => {
      const { id, site } = await freshSite({ core: '9.0', plugins: [BETA, ALPHA], translations: ['akismet'] });
      const [theme = ''] = [...site.state.themes.keys()].sort();
      releaseUpdates(site, { themes: [theme] });
      await syncSites(world, id);
      const requests = site.requests.length;
      const answer = await world.ability('get-site-updates-v1', { site_id_or_domain: id });
      assert.deepEqual(
        answer.updates.map(({ type, slug, new_version }: UpdateEntry) => [type, slug, new_version]),
        [
          ['core', 'wordpress', '9.0'],
          ['plugin', ALPHA, '9.1'],
          ['plugin', BETA, '9.1'],
          ['theme', theme, '9.2'],
          ['translation', 'akismet', '9.3'],
        ],
      );
      assert.deepEqual(answer.updates[0], {
        type: 'core',
        slug: 'wordpress',
        name: 'WordPress',
        current_version: site.state.core.version,
        new_version: '9.0',
      });
      assert.deepEqual(answer.summary, { core: 1, plugins: 2, themes: 1, translations: 1, total: 5 });
      assert.deepEqual([answer.site_id, answer.site_url], [id, site.url]);
      const some = await world.ability(
        'get-site-updates-v1',
        { site_id_or_domain: site.url, types: ['translations', 'plugins'] },
        { method: 'GET', as: 'viewer' },
      );
      assert.deepEqual(some.summary, { core: 0, plugins: 2, themes: 0, translations: 1, total: 3 });
      assert.deepEqual(
        some.updates.map(({ type }: UpdateEntry) => type),
        ['plugin', 'plugin', 'translation'],
      );
      assert.equal(site.requests.length, requests);
    });
  });

  it('when update-site-plugins-v1 has no slugs, then each plugin is updated in its own call', async () => {
    const { id, site } = await freshSite({ core: '9.0', plugins: [BETA, ALPHA] });
    const stats = site.countOf('stats');
    const old = site.state.plugins.get(ALPHA)?.version;
    const answer = await run('update-site-plugins-v1', id);
    assert.deepEqual(answer, {
      site_id: id,
      site_url: site.url,
      updated: [
        { slug: ALPHA, name: 'Alpha', old_version: old, new_version: '9.1' },
        { slug: BETA, name: 'Beta', old_version: '1.0.0', new_version: '9.1' },
      ],
      errors: [],
      total_updated: 2,
    });
    assert.deepEqual(upgradeCallsOf(site), [`upgradeplugintheme plugin ${ALPHA}`, `upgradeplugintheme plugin ${BETA}`]);
    assert.equal(site.countOf('stats'), stats + 2);
    const after = await readUpdates(world, id);
    assert.deepEqual([after.site, after.fleet, after.plugins], [['core wordpress'], ['core wordpress'], []]);
    assert.deepEqual([after.stats.plugin_updates, after.stats.wp_update_available], [0, true]);
    const logged = await readChangesOf(world, id, '%.updated');
    assert.deepEqual(
      logged.map(({ type, description, actor }) => [type, description, actor]),
      [
        ['plugin.updated', 'Updated the plugin Alpha from 1.0.0 to 9.1.', 'admin'],
        ['plugin.updated', 'Updated the plugin Beta from 1.0.0 to 9.1.', 'admin'],
      ],
    );
  });

  it('when update-site-plugins-v1 has slugs, then each has its result or error', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA, BETA, GAMMA] });
    site.performWpAdminAction({ do: 'install-plugin', folder: 'delta' });
    releaseUpdates(site, { plugins: ['delta/delta.php'] });
    await syncSites(world, id);
    site.defects.failingPackages.add(BETA);
    site.defects.falseSuccesses.add(GAMMA);
    await world.ability('ignore-site-plugins-v1', { site_id_or_domain: id, action: 'add', slugs: ['delta/delta.php'] });
    const slugs = [ALPHA, 'none/none.php', GAMMA, BETA, 'delta/delta.php'];
    const answer = await run('update-site-plugins-v1', id, { slugs });
    assert.deepEqual(
      answer.updated.map(({ slug }: UpdateEntry) => slug),
      [ALPHA],
    );
    assert.deepEqual(itemErrorCodes(answer), [
      'delta/delta.php svc_update_ignored',
      'none/none.php svc_no_update',
      `${BETA} svc_update_failed`,
      `${GAMMA} svc_update_failed`,
    ]);
    assert.deepEqual(answer.errors[2], {
      identifier: BETA,
      code: 'svc_update_failed',
      message: 'The site could not download the update.',
      reason: 'download_failed',
      child_message: 'Download failed. Not Found',
      site_id: id,
      site_url: site.url,
      type: 'plugin',
      slug: BETA,
    });
    assert.match(answer.errors[3].message, /unchanged/);
    assert.deepEqual((await readUpdates(world, id)).site, [`plugin ${BETA}`, `plugin ${GAMMA}`]);
    assert.equal((await readChangesOf(world, id, '%.updated')).length, 1);
  });

  it('when an update renames the main file of a plugin, then it counts as updated', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA, BETA] });
    site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
    const renamed = 'alpha/main.php';
    site.defects.renamedFiles.set(ALPHA, renamed).set(BETA, 'other/beta.php');
    const { updated, errors } = await run('update-site-plugins-v1', id);
    assert.deepEqual(
      updated.map(({ slug, old_version, new_version }: UpdateEntry) => [slug, old_version, new_version]),
      [[ALPHA, '1.0.0', '9.1']],
    );
    // A file in another folder is another plugin.
    assert.deepEqual(
      errors.map(({ slug, message }: { slug: string; message: string }) => [slug, message]),
      [[BETA, 'The site reports the update as done, but the installed version is unchanged.']],
    );
    assert.deepEqual(
      (await readChangesOf(world, id, 'plugin.%'))
        .filter(({ actor }) => actor === 'admin')
        .map(({ type, description }) => `${type} ${description}`),
      [
        `plugin.updated Updated the plugin Alpha from 1.0.0 to 9.1. Its main file is now ${renamed}, which is inactive.`,
        'plugin.deleted The update of the plugin Beta failed, and it no longer exists on the site.',
      ],
    );
    const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id });
    const [first] = plugins as { slug: string; version: string }[];
    assert.deepEqual([first?.slug, first?.version], [renamed, '9.1']);
  });

  it('when an update renames the main file of an ignored plugin, then its rule is moved to the new file', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA, BETA] });
    await syncSites(world, id);
    const renamed = 'alpha/main.php';
    site.defects.renamedFiles.set(ALPHA, renamed);
    const ignored = async (): Promise<string[]> => {
      const { ignored: rules } = await world.ability('list-ignored-updates-v1', { site_ids_or_domains: [id] });
      return rules.map(({ slug }: UpdateEntry) => slug);
    };
    // The rule is added while the update runs. Before it, the rule would prevent the update.
    let release = (): void => undefined;
    const opened = new Promise<void>((resolve) => (release = resolve));
    site.faultQueue.push({ kind: 'delay', ms: { until: opened }, function: 'upgradeplugintheme' });
    const updating = run('update-site-plugins-v1', id, { slugs: [ALPHA] });
    await until(() => site.countOf('upgradeplugintheme') > 0, 'an update');
    const rule = { site_id_or_domain: id, action: 'add', slugs: [ALPHA] };
    await world.ability('ignore-site-plugins-v1', rule);
    assert.deepEqual(await ignored(), [ALPHA]);
    release();
    const { updated } = await updating;
    assert.deepEqual(
      updated.map(({ slug }: UpdateEntry) => slug),
      [ALPHA],
      'an update keeps the slug under which it was listed',
    );
    assert.deepEqual(await ignored(), [renamed]);
    const [, move] = await readChangesOf(world, id, 'update.ignored');
    assert.equal(
      move?.description ?? '',
      `Updates of the plugin ${renamed} are ignored, because they were when its main file was ${ALPHA}.`,
    );
    site.performWpAdminAction({ do: 'release-plugin', plugin: renamed, version: '9.9' });
    await syncSites(world, id);
    assert.deepEqual((await readUpdates(world, id)).site, [`plugin ${BETA}`]);
    const again = await run('update-site-plugins-v1', id, { slugs: [renamed] });
    assert.deepEqual(itemErrorCodes(again), [`${renamed} svc_update_ignored`]);
  });

  it('when one theme fails, then update-site-themes-v1 reports it without an extra call', async () => {
    const { id, site } = await freshSite();
    const [good = '', bad = ''] = [...site.state.themes.keys()].sort();
    releaseUpdates(site, { themes: [good, bad] });
    await syncSites(world, id);
    site.defects.failingPackages.add(bad);
    const stats = site.countOf('stats');
    const answer = await run('update-site-themes-v1', id);
    assert.deepEqual(
      answer.updated.map(({ slug, new_version }: UpdateEntry) => [slug, new_version]),
      [[good, '9.2']],
    );
    assert.deepEqual(itemErrorCodes(answer), [`${bad} svc_update_failed`]);
    assert.equal(site.countOf('stats'), stats + 1, 'the answers carry the later state');
    assert.deepEqual((await readUpdates(world, id)).site, [`theme ${bad}`]);
    assert.equal((await readChangesOf(world, id, 'theme.updated')).length, 1);
  });

  it('when update-site-core-v1 is repeated, then the error is svc_no_updates', async () => {
    const { id, site } = await freshSite({ core: '9.0', plugins: [ALPHA] });
    const old = site.state.core.version;
    assert.deepEqual(await run('update-site-core-v1', id), {
      site_id: id,
      site_url: site.url,
      updated: true,
      old_version: old,
      new_version: '9.0',
      errors: [],
    });
    assert.equal((await world.ability('get-site-v1', { site_id_or_domain: id })).wp_version, '9.0');
    assert.deepEqual((await readUpdates(world, id)).site, [`plugin ${ALPHA}`]);
    assert.equal((await run('update-site-core-v1', id, {}, 404)).code, 'svc_no_updates');
    assert.equal(site.countOf('upgrade'), 1);
    assert.equal(
      (await readChangesOf(world, id, 'wordpress.updated'))[0]?.description,
      `Updated WordPress from ${old} to 9.0.`,
    );
  });

  it('when the core update breaks the home page, then update-site-core-v1 says so in errors', async () => {
    const { id, site } = await freshSite({ core: '9.0' });
    site.defects.breakingPage.set('core', 500);
    const { updated, errors } = await run('update-site-core-v1', id);
    site.defects.breakingPage.clear();
    assert.deepEqual([updated, errors.map(({ code }: { code: string }) => code)], [true, ['svc_site_refused']]);
  });

  it('when the core update is ignored or does not change the version, then update-site-core-v1 fails', async () => {
    const { id, site } = await freshSite({ core: '9.0' });
    await world.ability('ignore-site-core-v1', { site_id_or_domain: id, action: 'add' });
    assert.equal((await run('update-site-core-v1', id, {}, 404)).code, 'svc_no_updates');
    assert.equal(site.countOf('upgrade'), 0);
    await world.ability('ignore-site-core-v1', { site_id_or_domain: id, action: 'remove' });
    for (const spoil of [
      () => site.defects.failingPackages.add('core'),
      () => site.defects.falseSuccesses.add('core'),
      () => (site.state.core.offersReachable = false),
      () => (site.state.core.locked = true),
    ]) {
      site.defects.failingPackages.clear();
      site.defects.falseSuccesses.clear();
      spoil();
      assert.equal((await run('update-site-core-v1', id, {}, 502)).code, 'svc_update_failed');
    }
    assert.equal(site.countOf('upgrade'), 4);
    assert.equal((await readUpdates(world, id)).stats.wp_update_available, true);
  });

  it('when an item has several languages, then update-site-translations-v1 updates them together', async () => {
    const { id, site } = await freshSite({ translations: ['akismet', 'hello'], plugins: [ALPHA] });
    site.defects.failingPackages.add('hello');
    const answer = await run('update-site-translations-v1', id);
    assert.deepEqual(
      [answer.updated, answer.translations_updated, itemErrorCodes(answer)],
      [true, 1, ['hello svc_update_failed']],
    );
    assert.deepEqual((await readUpdates(world, id)).site, [`plugin ${ALPHA}`, 'translation hello']);
    site.defects.failingPackages.clear();
    assert.equal((await run('update-site-translations-v1', id)).translations_updated, 1);
    const nothing = await run('update-site-translations-v1', id);
    assert.deepEqual([nothing.updated, nothing.translations_updated, nothing.errors], [false, 0, []]);
  });

  it('when the response is lost, then the result is read back, and no update is sent twice', async () => {
    const { id, site } = await freshSite({ core: '9.0', plugins: [ALPHA, BETA, GAMMA] });
    site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'upgradeplugintheme' });
    site.faultQueue.push({ kind: 'cut', function: 'upgradeplugintheme' });
    site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'upgradeplugintheme' });
    const answer = await run('update-site-plugins-v1', id);
    assert.deepEqual(
      answer.updated.map(({ slug, old_version, new_version }: UpdateEntry) => [slug, old_version, new_version]),
      [
        [ALPHA, '1.0.0', '9.1'],
        [BETA, '1.0.0', '9.1'],
      ],
    );
    assert.deepEqual(itemErrorCodes(answer), [`${GAMMA} svc_update_failed`]);
    assert.equal(site.countOf('upgradeplugintheme'), 3);
    site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'upgrade' });
    assert.equal((await run('update-site-core-v1', id)).new_version, '9.0');
    assert.equal(site.countOf('upgrade'), 1);
  });

  it('when the site stops responding during an update, then the outcome is unknown', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA, BETA] });
    site.faultQueue.push({ kind: 'fatal', when: 'after', function: 'upgradeplugintheme' });
    site.faultQueue.push({ kind: 'delay', ms: 0, function: 'stats' });
    site.fault = { kind: 'fatal', when: 'before', function: 'stats' };
    const answer = await run('update-site-plugins-v1', id);
    assert.deepEqual(
      [answer.updated, itemErrorCodes(answer)],
      [[], [`${ALPHA} svc_outcome_unknown`, `${BETA} svc_site_refused`]],
    );
    assert.equal(site.countOf('upgradeplugintheme'), 1);
    site.fault = null;
  });

  it('when the site is down or rejects the call, then the whole call fails', async () => {
    const { id, site } = await freshSite({ core: '9.0', plugins: [ALPHA], translations: ['akismet'] });
    const [theme = ''] = [...site.state.themes.keys()];
    releaseUpdates(site, { themes: [theme] });
    await syncSites(world, id);
    for (const name of WRITES) {
      site.fault = { kind: 'challenge' };
      assert.equal((await run(name, id, {}, 502)).code, 'svc_site_refused', name);
    }
    site.fault = null;
    await world.closeAddress(id);
    assert.equal((await run('update-site-core-v1', id, {}, 503)).code, 'svc_site_unreachable');
    assert.equal((await readUpdates(world, id)).total, 4);
  });

  it('when a site is suspended, disconnected or outdated, then no update is sent', async () => {
    const { id, site } = await freshSite({ core: '9.0', plugins: [ALPHA], translations: ['akismet'] });
    for (const [state, undo] of [
      ['suspend', 'unsuspend'],
      ['disconnect', 'reconnect'],
    ]) {
      await world.ability(`${state}-site-v1`, { site_id_or_domain: id });
      for (const name of WRITES) assert.equal((await run(name, id, {}, 409)).code, `svc_site_${state}ed`);
      await world.ability(`${undo}-site-v1`, { site_id_or_domain: id });
    }
    site.setChildVersion('3.9');
    await syncSites(world, id);
    for (const name of WRITES) assert.equal((await run(name, id, {}, 409)).code, 'svc_child_outdated');
    assert.deepEqual(upgradeCallsOf(site), []);
  });

  it('when the same update is requested twice at the same time, then it is installed once', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA] });
    site.latencyMs = 30;
    const answers = await Promise.all([1, 2].map(() => run('update-site-plugins-v1', id, { slugs: [ALPHA] })));
    assert.deepEqual(answers.map(({ total_updated }) => total_updated).sort(), [0, 1]);
    assert.deepEqual(answers.flatMap(itemErrorCodes), [`${ALPHA} svc_no_update`]);
    assert.equal(site.countOf('upgradeplugintheme'), 1);
    assert.equal(site.maxConcurrent, 1);
  });

  it('when site, input, right or method are wrong, then each call is rejected', async () => {
    const { id, site } = await freshSite({ plugins: [ALPHA] });
    const good = { site_id_or_domain: id };
    for (const name of [...WRITES, 'get-site-updates-v1']) {
      const refuse = async (input: unknown, expect: number, as: 'admin' | 'nobody' = 'admin') =>
        (await world.ability(name, input, { expect, as })).code;
      assert.equal(await refuse({ site_id_or_domain: 999999 }, 404), 'svc_site_not_found');
      for (const input of [
        undefined,
        {},
        { ...good, more: 1 },
        { ...good, slugs: 'x' },
        { ...good, types: ['plugin'] },
      ])
        assert.equal(await refuse(input, 400), 'ability_invalid_input', `${name} ${JSON.stringify(input)}`);
      assert.equal(await refuse(good, 401, 'nobody'), 'svc_unauthenticated');
    }
    for (const name of WRITES) {
      for (const as of ['viewer', 'reader'] as const)
        assert.equal((await world.ability(name, good, { as, expect: 403 })).code, 'svc_permission_denied');
      const { code } = await world.ability(name, good, { method: 'GET', expect: 405 });
      assert.equal(code, 'rest_ability_invalid_method');
    }
    for (const slugs of [[7], ['a|b'], ['x'.repeat(256)], [' a'], ['']])
      assert.equal(
        (await world.ability('update-site-plugins-v1', { ...good, slugs }, { expect: 400 })).code,
        'ability_invalid_input',
      );
    assert.deepEqual(upgradeCallsOf(site), []);
  });
});
