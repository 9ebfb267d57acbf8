import assert from 'node:assert/strict';
import { prepareSite } from '../../faults/ability-bench.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';

const ALPHA = 'alpha/alpha.php';
const BETA = 'beta/beta.php';
/** Delays of the two repeated checks, then durations that end before, between or after them, in milliseconds. */
const STATE_CHECK_DELAYS_MS = [150, 500];
const [EARLY, BETWEEN, LATE] = [60, 320, 5_000];

describe('a change that continues after a gateway timeout', () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      sites: 16,
      connect: 0,
      overrides: { deadlines: { lookAgainMs: STATE_CHECK_DELAYS_MS } },
    });
  });
  after(() => world.close());

  const freshSite = () => world.freshSite(prepareSite);
  const goesOn = (site: SimulatedSite, name: string, doneMs: number) =>
    site.faultQueue.push({ kind: 'goes-on', doneMs, function: name });
  const changes = (id: number) =>
    world.container.database
      .knex('changes')
      .where({ site_id: id, source: 'dashboard' })
      .whereIn('type', ['plugin.updated', 'wordpress.updated', 'plugin.activated', 'plugin.deleted', 'theme.activated'])
      .pluck<string[]>('type');
  const waiting = async (id: number): Promise<string[]> =>
    (await world.ability('get-site-updates-v1', { site_id_or_domain: id })).updates.map(
      ({ slug }: { slug: string }) => slug,
    );
  const updatePlugins = (id: number) => world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [] });

  for (const [when, doneMs] of [
    ['before the first check', EARLY],
    ['before the second check', BETWEEN],
  ] as const)
    it(`when an update is done ${when}, then it is reported, logged and no longer pending`, async () => {
      const { id, site } = await freshSite();
      goesOn(site, 'upgradeplugintheme', doneMs);
      const { updated, errors } = await updatePlugins(id);
      assert.deepEqual([updated.map(({ slug }: { slug: string }) => slug), errors], [[ALPHA], []]);
      assert.equal(site.countOf('upgradeplugintheme'), 1);
      assert.ok(!(await waiting(id)).includes(ALPHA));
      assert.deepEqual(await changes(id), ['plugin.updated']);
    });

  it('when the site is in maintenance mode during a check, then the update still succeeds', async () => {
    const { id, site } = await freshSite();
    const alpha = site.state.plugins.get(ALPHA);
    if (alpha) alpha.active = true;
    goesOn(site, 'upgradeplugintheme', BETWEEN);
    const { updated, errors } = await updatePlugins(id);
    assert.deepEqual([updated.length, errors], [1, []]);
    assert.ok(site.requests.some(({ status }) => status === 503));
  });

  it('when an update is not done at the last check, then its outcome is unknown, not failed', async () => {
    const { id, site } = await freshSite();
    goesOn(site, 'upgradeplugintheme', LATE);
    const { updated, errors } = await updatePlugins(id);
    assert.deepEqual([updated, errors[0].code, errors[0].slug], [[], 'svc_outcome_unknown', ALPHA]);
    assert.ok((await waiting(id)).includes(ALPHA));
    assert.deepEqual(await changes(id), []);
  });

  it('when a core update or theme change times out, then it is reported as done, or unknown with its job', async () => {
    const { id, site } = await freshSite();
    goesOn(site, 'upgrade', BETWEEN);
    const { updated } = await world.ability('update-site-core-v1', { site_id_or_domain: id });
    assert.equal(updated, true);
    goesOn(site, 'theme_action', LATE);
    const activate = { site_id_or_domain: id, slug: 'spare' };
    const { code, data } = await world.ability('activate-site-theme-v1', activate, { expect: 502 });
    assert.deepEqual([code, data.job_id.split('_')[0]], ['svc_outcome_unknown', 'verify']);
  });

  it('when plugins are activated and deleted, then each is reported, listed and logged', async () => {
    const { id, site } = await freshSite();
    goesOn(site, 'plugin_action', EARLY);
    const on = await world.ability('activate-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] });
    assert.deepEqual([on.activated, on.errors], [[ALPHA], []]);
    goesOn(site, 'plugin_action', BETWEEN);
    const input = { site_id_or_domain: id, slugs: [ALPHA, BETA], confirm: true };
    const gone = await world.ability('delete-site-plugins-v1', input);
    assert.deepEqual([gone.deleted, gone.errors], [[ALPHA, BETA], []]);
    assert.equal(site.countOf('plugin_action'), 2);
    const { plugins } = await world.ability('get-site-plugins-v1', { site_id_or_domain: id });
    assert.deepEqual(
      plugins.filter(({ slug }: { slug: string }) => [ALPHA, BETA].includes(slug)),
      [],
    );
    assert.deepEqual(await changes(id), ['plugin.activated', 'plugin.deleted', 'plugin.deleted']);
  });

  it('when an update of a job times out, then its item waits without a lease and ends with the result', async () => {
    const { id, site } = await freshSite();
    goesOn(site, 'upgradeplugintheme', BETWEEN);
    const call = world.ability('run-updates-v1', { site_ids_or_domains: [id], types: ['plugins'] });
    let seen: { lease_owner: string | null; result: string } | undefined;
    await until(async () => {
      seen = await world.container.database
        .knex('job_items')
        .where({ site_id: id, state: 'waiting' })
        .whereNotNull('result')
        .first('lease_owner', 'result');
      return seen !== undefined;
    }, 'the item to be postponed');
    assert.equal(seen?.lease_owner, null);
    assert.match(seen?.result ?? '', /svc_outcome_unknown/);
    const { updated, errors } = await call;
    assert.deepEqual([updated.length, errors], [1, []]);
    assert.deepEqual(await changes(id), ['plugin.updated']);
    assert.deepEqual(world.container.queue.stats(), { ready: 0, running: 0 });
  });
});

describe('a change that takes longer than the inline deadline', () => {
  let world: World;
  before(async () => {
    world = await startWorld({
      sites: 2,
      env: { SITEFLEET_INLINE_DEADLINE: '1' },
      overrides: { deadlines: { lookAgainMs: [1_400] } },
    });
    for (const index of [0, 1]) {
      prepareSite(world.site(index));
      await world.container.services.sites.sites.sync(world.siteId(index));
    }
  });
  after(() => world.close());

  it('when the deadline passes, then the response has the job, and the job records the outcome', async () => {
    const [first, second] = [world.siteId(0), world.siteId(1)];
    for (const index of [0, 1])
      world.site(index).faultQueue.push({ kind: 'goes-on', doneMs: 1_200, function: 'upgradeplugintheme' });
    const [alone, fleet] = await Promise.all([
      world.ability('update-site-plugins-v1', { site_id_or_domain: first, slugs: [] }),
      world.ability('run-updates-v1', { site_ids_or_domains: [second], types: ['plugins'] }),
    ]);
    for (const { updated, errors } of [alone, fleet]) {
      assert.deepEqual([updated, errors[0].code], [[], 'svc_outcome_unknown']);
      const { items } = await world.finishedJob(errors[0].job_id);
      assert.deepEqual([items[0].result.updated[0].slug, items[0].result.errors], [ALPHA, []]);
    }
    for (const id of [first, second]) {
      const { updates } = await world.ability('get-site-updates-v1', { site_id_or_domain: id, types: ['plugins'] });
      assert.deepEqual(updates, []);
    }
  });
});
