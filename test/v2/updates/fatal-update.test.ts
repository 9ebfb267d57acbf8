import assert from 'node:assert/strict';
import { createTag } from '../../support/tags.ts';
import { syncSites } from '../../support/sites.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates, upgradeCallsOf } from '../../support/updates.ts';
import { editSettings, ManualClock, runDueAt } from '../../support/schedules.ts';
import { startWorld, type World } from '../../support/world.ts';

const SITES = 3;

describe('an update with a fatal error', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    const overrides = { clock, tickMs: null, deadlines: { pageAgainMs: 5, lookAgainMs: [5] } };
    world = await startWorld({ sites: SITES, connect: 0, overrides });
    for (const [index, site] of world.fleet.sites.entries()) {
      removeItemsWithUpdates(site);
      for (const plugin of [ALPHA, BETA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
      releaseUpdates(site, { plugins: [ALPHA, BETA] });
      await world.connect(index);
    }
  });
  afterEach(() => world.close());

  const markOf = async (index: number) =>
    (await world.request('GET', `/api/v2/sites/${world.siteId(index)}`)).body.data.broken_by_update;
  const update = (body: object = {}) =>
    world.request('POST', `/api/v2/updates/${world.siteId(0)}/update/plugins`, { body });

  it('when no check is on, then the site is marked and no further update is sent', async () => {
    world.site(0).defects.breaking.add(ALPHA);
    const { health } = (await update()).body;
    assert.equal(health.state, 'broken');
    const mark = await markOf(0);
    assert.deepEqual([mark.status_after, mark.updates[0].slug], [500, ALPHA]);
    assert.ok(upgradeCallsOf(world.site(0)).length <= 2);
    assert.equal(world.site(0).state.plugins.get(BETA)?.version, '1.0.0');
  });

  it('when an update ends every request without a word, then the site is marked although no check is on', async () => {
    world.site(0).defects.dying.add(ALPHA);
    const { health } = (await update({ slug: [ALPHA] })).body;
    assert.deepEqual([health.state, health.probe, health.status_after], ['broken', 'admin_ajax', 200]);
    assert.equal((await markOf(0)).updates[0].slug, ALPHA);
  });

  it('when a later sync is the first to read the version that broke the site, then it is logged once, as ours', async () => {
    const { defects } = world.site(0);
    const logged = async (): Promise<string[]> => {
      const { body } = await world.request('GET', `/api/v2/changes?site_id=${world.siteId(0)}&type=plugin.updated`);
      return body.data.map(({ description, user }: Record<string, string>) => `${description} (${user})`);
    };
    defects.breaking.add(ALPHA);
    assert.equal((await update({ slug: [ALPHA] })).body.health.state, 'broken');
    assert.deepEqual(await logged(), []);
    defects.breaking.clear();
    const expected = ['Updated the plugin Alpha from 1.0.0 to 9.1. (admin)'];
    for (let times = 0; times < 2; times += 1) {
      await syncSites(world, world.siteId(0));
      assert.deepEqual(await logged(), expected);
    }
  });

  for (const pageCache of ['by-query', 'any-query'] as const)
    it(`when a page cache (${pageCache}) serves the home page, then the ring is broken all the same`, async () => {
      await createTag(world, 'canary', world.siteId(0));
      for (const site of world.fleet.sites) Object.assign(site.defects, { pageCache });
      for (const site of world.fleet.sites) site.defects.breaking.add(ALPHA);
      const { body } = await world.request('POST', '/api/v2/updates/update', {
        body: { type: 'plugins', rings: ['canary'] },
      });
      const { data, items } = await world.finishedJob(body.job_id);
      assert.deepEqual(
        data.rings.map(({ state, proven, broken }: Record<string, unknown>) => [state, proven, broken]),
        [
          ['broken', 0, 1],
          ['not_begun', 0, 0],
        ],
      );
      assert.equal(data.status, 'failed');
      assert.equal(items[0].result?.health?.state ?? items[1].result?.health?.state, 'broken');
      assert.ok(await markOf(0));
      assert.equal(await markOf(1), null);
    });

  it('when an earlier update has broken the canary, then a later run proves nothing there, and a retry neither', async () => {
    await createTag(world, 'canary', world.siteId(0));
    for (const { defects } of world.fleet.sites) defects.breakingPage.set(BETA, 500);
    world.site(0).defects.breakingPage.set(ALPHA, 500);
    const states = async (id: string) => {
      const { data } = await world.finishedJob(id);
      return data.rings.map(({ state, proven, broken }: Record<string, unknown>) => [state, proven, broken]);
    };
    const run = async (slug: string): Promise<string> =>
      (await world.ability('run-updates-v1', { types: ['plugins'], specific_items: [slug], rings: ['canary'] })).job_id;
    const stopped = [
      ['broken', 0, 1],
      ['not_begun', 0, 0],
    ];
    assert.deepEqual(await states(await run(ALPHA)), stopped);
    // The canary has no update left.
    assert.deepEqual(await states(await run(ALPHA)), stopped);
    const later = await run(BETA);
    assert.deepEqual(await states(later), stopped);
    const { body } = await world.request('POST', `/api/v2/jobs/${later}/retry-failed`);
    assert.deepEqual(await states(body.data.job_id), stopped);
    assert.equal(world.site(1).state.plugins.get(BETA)?.version, '1.0.0');
    assert.deepEqual(
      (await markOf(0)).updates.map((update: { slug: string }) => update.slug),
      [ALPHA],
    );
    for (const { defects } of world.fleet.sites) defects.breakingPage.clear();
    const again = await world.request('POST', `/api/v2/jobs/${later}/retry-failed`);
    assert.deepEqual(await states(again.body.data.job_id), [
      ['nothing_to_do', 0, 0],
      ['passed', 2, 0],
    ]);
    assert.equal(await markOf(0), null);
  });

  for (const [fault, defect, probe, after] of [
    ['a fatal error in admin_init', 'breakingAdmin', 'admin_ajax', 500],
    ['die() in init', 'dying', 'admin_ajax', 200],
  ] as const)
    it(`when the home page comes from a cache and ${fault} breaks the site, then a ring finds it`, async () => {
      await createTag(world, 'canary', world.siteId(0));
      for (const { defects } of world.fleet.sites) {
        defects.pageCache = 'any-query';
        defects[defect].add(ALPHA);
      }
      const { body } = await world.request('POST', '/api/v2/updates/update', {
        body: { type: 'plugins', rings: ['canary'] },
      });
      const { data } = await world.finishedJob(body.job_id);
      assert.deepEqual(
        data.rings.map(({ state }: { state: string }) => state),
        ['broken', 'not_begun'],
      );
      const mark = await markOf(0);
      assert.deepEqual([mark.probe, mark.status_before, mark.status_after], [probe, 400, after]);
      assert.equal(mark.updates[0].slug, ALPHA);
    });

  it('when admin-ajax.php is closed and a fatal error follows, then the signed call finds it', async () => {
    const { defects } = world.site(0);
    world.site(0).fault = { kind: 'closed-ajax' };
    defects.pageCache = 'any-query';
    defects.breaking.add(BETA);
    const { health, errors } = (await update()).body;
    assert.deepEqual([health.state, health.probe, health.status_after], ['broken', 'signed_stats', 500]);
    assert.deepEqual(
      errors.map(({ slug, reason }: { slug: string; reason: string }) => [slug, reason]),
      [
        [ALPHA, 'site_fatal'],
        [BETA, 'site_fatal'],
      ],
    );
    assert.ok(await markOf(0));
  });

  it('when the home page had a fatal error before the update, then no update is blamed', async () => {
    world.site(0).fault = { kind: 'raw', status: 500, body: '', function: 'HEAD' };
    assert.equal((await update()).body.health, null);
    assert.equal(await markOf(0), null);
  });

  it('when a page cache answers the monitor while WordPress answers 500, then the mark stays', async () => {
    const site = world.site(0);
    site.defects.pageCache = 'any-query';
    site.defects.breakingAdmin.add(ALPHA);
    await editSettings(world, 'general', { check_http_response: 1 });
    assert.equal((await update({ slug: [ALPHA] })).body.health.state, 'broken');
    const checks = [
      () => world.ability('check-site-v1', { site_id_or_domain: world.siteId(0) }),
      () => world.request('POST', `/api/v2/monitors/${world.siteId(0)}/check`),
    ];
    await world.request('PUT', `/api/v2/monitors/${world.siteId(0)}/settings`, {
      body: { type: 'http', maxretries: 0 },
    });
    for (const check of checks) {
      await check();
      assert.ok(await markOf(0));
    }
    // The probe that failed is left out of the next run, which therefore does not prove that the site has recovered.
    assert.equal((await update({ slug: [BETA] })).body.health.state, 'well');
    assert.ok(await markOf(0));
    site.defects.breakingAdmin.clear();
    await checks[1]?.();
    assert.equal(await markOf(0), null);
  });

  it('when a scheduled run has no rings, then it looks at the sites although check_http_response is off', async () => {
    await syncSites(world);
    await editSettings(world, 'general', {
      plugin_automatic_daily_update: 1,
      time_auto_update: '3:00',
      delay_autoupdate: 0,
    });
    world.site(1).defects.breakingPage.set(ALPHA, 404);
    await runDueAt(world, clock, 'auto-updates', '2026-11-22T08:00:00Z');
    const ids = await runDueAt(world, clock, 'auto-updates', '2026-11-23T03:00:00Z');
    await Promise.all(ids.filter((id) => id.startsWith('update_')).map((id) => world.finishedJob(id)));
    assert.equal((await markOf(1)).status_after, 404);
    assert.equal(await markOf(0), null);
  });
});
