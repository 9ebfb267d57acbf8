import assert from 'node:assert/strict';
import { readChangesOf } from '../../support/changes.ts';
import { readNewestJob } from '../../support/jobs.ts';
import { disconnectSite, reconnectSite, suspendSite, syncSites } from '../../support/sites.ts';
import type { World } from '../../support/world.ts';
import {
  ALPHA,
  BETA,
  itemErrorCodes,
  type UpdateEntry,
  readUpdates,
  upgradeCallsOf,
  releaseUpdates,
  withAlphaUpdates,
} from '../../support/updates.ts';

type SiteEntry = UpdateEntry & { site_id: number; site_url: string; site_name: string; new_version: string };

describe('updates of several sites', () => {
  let world: World;
  withAlphaUpdates((started) => (world = started));
  const byUrl = (indexes: number[]): number[] =>
    indexes.sort((a, b) => (world.site(a).url < world.site(b).url ? -1 : 1)).map((index) => world.siteId(index));

  describe('list-updates-v1', () => {
    const list = (input: object = {}) => world.ability('list-updates-v1', input);
    const keys = (updates: SiteEntry[]) => updates.map(({ site_id, type, slug }) => [site_id, type, slug]);

    it('when updates are listed, then they are sorted by URL, type and slug, filtered and paged', async () => {
      const [theme = ''] = [...world.site(0).state.themes.keys()].sort();
      releaseUpdates(world.site(0), { core: '9.0', plugins: [BETA], themes: [theme], translations: ['akismet'] });
      releaseUpdates(world.site(5), { core: '9.0' });
      await syncSites(world);
      const expected = byUrl([0, 1, 2, 3, 4, 5]).flatMap((id): [number, string, string][] => {
        if (id === world.siteId(4)) return [];
        if (id === world.siteId(5)) return [[id, 'core', 'wordpress']];
        if (id !== world.siteId(0)) return [[id, 'plugin', ALPHA]];
        return [
          [id, 'core', 'wordpress'],
          [id, 'plugin', ALPHA],
          [id, 'plugin', BETA],
          [id, 'theme', theme],
          [id, 'translation', 'akismet'],
        ];
      });
      const all = await list();
      assert.deepEqual(keys(all.updates), expected);
      assert.deepEqual([all.total, all.page, all.per_page, all.errors], [9, 1, 50, []]);
      assert.deepEqual(all.summary, { core: 2, plugins: 5, themes: 1, translations: 1, total: 9 });
      const [entry] = all.updates.filter(
        ({ site_id, type }: SiteEntry) => site_id === world.siteId(1) && type === 'plugin',
      );
      const site_name = (await world.ability('get-site-v1', { site_id_or_domain: world.siteId(1) })).name;
      assert.deepEqual(entry, {
        site_id: world.siteId(1),
        site_url: world.site(1).url,
        site_name,
        type: 'plugin',
        slug: ALPHA,
        name: 'Alpha',
        current_version: '1.0.0',
        new_version: '9.1',
      });
      for (const types of [
        ['core'],
        ['plugins'],
        ['translations', 'core'],
        ['plugins', 'themes', 'core'],
        ['themes', 'themes'],
      ]) {
        const singular = types.map((type) => type.replace(/s$/, ''));
        const chosen = expected.filter(([, type]) => singular.includes(type));
        const answer = await list({ types });
        assert.deepEqual(keys(answer.updates), chosen, types.join());
        assert.deepEqual([answer.total, answer.summary.total], [chosen.length, chosen.length]);
        const [one, two] = [await list({ types, per_page: 1 }), await list({ types, per_page: 1, page: 2 })];
        assert.deepEqual(keys([...one.updates, ...two.updates]), chosen.slice(0, 2), types.join());
      }
      const paged = [];
      for (let page = 1; page <= 4; page++) paged.push(...(await list({ per_page: 3, page })).updates);
      assert.deepEqual(keys(paged), expected);
      const some = await list({
        site_ids_or_domains: [world.siteId(0), world.site(1).url, 'no.example'],
        types: ['plugins'],
      });
      assert.deepEqual([some.total, itemErrorCodes(some)], [3, ['no.example svc_site_not_found']]);
      assert.deepEqual(some.summary, { core: 0, plugins: 3, themes: 0, translations: 0, total: 3 });
      const none = await list({ site_ids_or_domains: ['no.example'] });
      assert.deepEqual([none.total, none.updates], [0, []]);
    });

    it('when sites are suspended or disconnected, then their updates are listed too', async () => {
      await suspendSite(world, world.siteId(0));
      await disconnectSite(world, world.siteId(1));
      const answer = await list();
      assert.equal(answer.total, 4);
      const post = await world.ability('list-updates-v1', undefined, { method: 'POST', as: 'viewer' });
      assert.deepEqual(post, answer);
      await reconnectSite(world, world.siteId(1));
    });

    it('when the input is invalid or the credential is missing, then the call is rejected', async () => {
      for (const input of [{ per_page: 201 }, { per_page: 0 }, { page: 0 }, { types: ['plugin'] }, { site: 1 }])
        assert.equal((await world.ability('list-updates-v1', input, { expect: 400 })).code, 'ability_invalid_input');
      assert.equal((await list({ per_page: 200 })).per_page, 200);
      await world.ability('list-updates-v1', {}, { as: 'nobody', expect: 401 });
    });
  });

  it('when the list is empty, then run-updates-v1 updates all connected sites with updates', async () => {
    await suspendSite(world, world.siteId(0));
    const requests = world.fleet.sites.map((site) => site.requests.length);
    const answer = await world.ability('run-updates-v1');
    assert.deepEqual(
      answer.updated.map(({ site_id, type, slug, old_version, new_version }: SiteEntry) => [
        site_id,
        type,
        slug,
        old_version,
        new_version,
      ]),
      byUrl([1, 2, 3]).map((id) => [id, 'plugin', ALPHA, '1.0.0', '9.1']),
    );
    assert.deepEqual([answer.errors, answer.summary], [[], { total_updated: 3, total_errors: 0, sites_updated: 3 }]);
    assert.deepEqual(
      [0, 4, 5].map((index) => world.site(index).requests.length),
      [0, 4, 5].map((index) => requests[index]),
    );
    assert.equal((await world.ability('list-updates-v1')).total, 1);
    assert.deepEqual((await world.ability('run-updates-v1', {})).summary, {
      total_updated: 0,
      total_errors: 0,
      sites_updated: 0,
    });
  });

  it('when sites fail or cannot be updated, then run-updates-v1 updates the others and lists the errors', async () => {
    releaseUpdates(world.site(0), { core: '9.0', plugins: [BETA] });
    await syncSites(world);
    world.site(0).defects.failingPackages.add(ALPHA);
    world.site(1).fault = { kind: 'challenge' };
    await suspendSite(world, world.siteId(2));
    await disconnectSite(world, world.siteId(3));
    const { host } = new URL(world.site(0).url);
    const answer = await world.ability('run-updates-v1', {
      site_ids_or_domains: [world.siteId(1), host, world.siteId(2), world.siteId(3), 'no.example', world.siteId(4)],
    });
    assert.deepEqual(
      answer.updated.map(({ site_id, type, slug }: SiteEntry) => [site_id, type, slug]),
      [
        [world.siteId(0), 'core', 'wordpress'],
        [world.siteId(0), 'plugin', BETA],
      ],
    );
    assert.deepEqual(
      itemErrorCodes(answer).sort(),
      [
        `${host} svc_update_failed`,
        'no.example svc_site_not_found',
        `${world.siteId(1)} svc_site_refused`,
        `${world.siteId(2)} svc_site_suspended`,
        `${world.siteId(3)} svc_site_disconnected`,
      ].sort(),
    );
    assert.deepEqual(answer.summary, { total_updated: 2, total_errors: 5, sites_updated: 1 });
    assert.deepEqual((await readUpdates(world, world.siteId(0))).site, [`plugin ${ALPHA}`]);
    world.site(0).defects.failingPackages.clear();
    world.site(1).fault = null;
    await reconnectSite(world, world.siteId(3));
  });

  it('when types and items are given, then run-updates-v1 installs only these updates', async () => {
    const [theme = ''] = [...world.site(0).state.themes.keys()].sort();
    releaseUpdates(world.site(0), { core: '9.0', plugins: [BETA], themes: [theme] });
    await syncSites(world);
    const slugs = async (input: object) =>
      (await world.ability('run-updates-v1', input)).updated.map(({ type, slug }: UpdateEntry) => `${type} ${slug}`);
    assert.deepEqual(await slugs({ types: ['themes'] }), [`theme ${theme}`]);
    assert.deepEqual(await slugs({ types: ['plugins'], specific_items: ['wordpress', BETA, 'none/none.php'] }), [
      `plugin ${BETA}`,
    ]);
    assert.deepEqual(await slugs({ specific_items: [ALPHA], site_ids_or_domains: [world.siteId(1)] }), [
      `plugin ${ALPHA}`,
    ]);
    assert.equal((await world.ability('list-updates-v1', { types: ['plugins'] })).total, 3);
    assert.deepEqual(await slugs({ types: ['core'] }), ['core wordpress']);
  });

  it('when update-all-v1 runs, then it counts installed updates by type, including core', async () => {
    const [theme = ''] = [...world.site(0).state.themes.keys()].sort();
    releaseUpdates(world.site(0), {
      core: '9.0',
      plugins: [BETA],
      themes: [theme],
      translations: ['akismet', 'hello'],
    });
    await syncSites(world);
    world.site(1).defects.falseSuccesses.add(ALPHA);
    const answer = await world.ability('update-all-v1');
    assert.deepEqual(answer.updated, { core: 1, plugins: 4, themes: 1, translations: 2 });
    assert.deepEqual(answer.summary, { total_updated: 8, total_errors: 1, sites_updated: 3 });
    assert.deepEqual(itemErrorCodes(answer), [`${world.siteId(1)} svc_update_failed`]);
    assert.deepEqual([answer.errors[0].slug, answer.errors[0].type], [ALPHA, 'plugin']);
    assert.deepEqual(upgradeCallsOf(world.site(0)).slice(-6), [
      'upgrade',
      `upgradeplugintheme plugin ${ALPHA}`,
      `upgradeplugintheme plugin ${BETA}`,
      `upgradeplugintheme theme ${theme}`,
      'upgradetranslation translation akismet',
      'upgradetranslation translation hello',
    ]);
    world.site(1).defects.falseSuccesses.clear();
    assert.equal((await readChangesOf(world, world.siteId(0), 'translation.updated')).length, 2);
  });

  it('when several updates are pending, then each site has one call at a time, and sites run in parallel', async () => {
    for (const site of world.fleet.sites) {
      site.latencyMs = 40;
      releaseUpdates(site, { plugins: [BETA] });
    }
    await syncSites(world);
    const [first, second] = await Promise.all([world.ability('update-all-v1'), world.ability('run-updates-v1')]);
    assert.equal(first.summary.total_updated + second.summary.total_updated, 10);
    for (const site of world.fleet.sites) assert.equal(site.maxConcurrent, 1);
    assert.equal((await world.ability('list-updates-v1')).total, 0);
  });

  it('when a run is finished, then its job has the result of each item', async () => {
    world.site(0).defects.failingPackages.add(ALPHA);
    await world.ability('run-updates-v1', { site_ids_or_domains: [world.siteId(0), world.siteId(1)] });
    world.site(0).defects.failingPackages.clear();
    const job = await readNewestJob(world);
    assert.deepEqual(
      [job.data.type, job.data.status, job.data.succeeded, job.data.failed],
      ['update', 'completed', 1, 1],
    );
    const results = new Map(job.items.map((item: { site_id: number; result: object }) => [item.site_id, item.result]));
    const failed = results.get(world.siteId(0)) as { updated: []; errors: { code: string; slug: string }[] };
    assert.deepEqual(
      [failed.updated, failed.errors[0]?.code, failed.errors[0]?.slug],
      [[], 'svc_update_failed', ALPHA],
    );
    const done = results.get(world.siteId(1)) as { updated: SiteEntry[] };
    assert.equal(done.updated[0]?.new_version, '9.1');
    const status = await world.ability('get-batch-job-status-v1', { job_id: job.data.job_id });
    assert.deepEqual([status.type, status.status], ['update', 'completed']);
  });

  it('when the input is invalid or the right is missing, then the call is rejected', async () => {
    for (const name of ['run-updates-v1', 'update-all-v1']) {
      for (const input of [{ types: ['plugin'] }, { site_ids_or_domains: [true] }, { more: 1 }])
        assert.equal((await world.ability(name, input, { expect: 400 })).code, 'ability_invalid_input');
      await world.ability(name, {}, { as: 'viewer', expect: 403 });
      await world.ability(name, {}, { as: 'nobody', expect: 401 });
      await world.ability(name, {}, { method: 'GET', expect: 405 });
    }
    assert.equal((await world.ability('list-updates-v1')).total, 4);
  });
});
