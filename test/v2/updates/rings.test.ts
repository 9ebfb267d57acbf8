import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { syncSites } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { ALPHA, removeItemsWithUpdates, upgradeCallsOf, releaseUpdates } from '../../support/updates.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

interface Ring {
  name: string;
  state: string;
  total: number;
  succeeded: number;
  failed: number;
  broken: number;
  installed: number;
  proven: number;
  unknown: number;
  nothing_to_do: number;
}
interface Item {
  site_id: number;
  ring: string;
  state: string;
  result: { health?: { state: string } } | null;
  ring_index: number;
  error: { code: string } | null;
}

/** 10 % and 25 % of this number are whole numbers. */
const SITES = 40;

describe('updates in rings', () => {
  let world: World;
  /** Indexes of the sites in the order of their URLs. Percentages take sites in this order. */
  let inOrder: number[];
  before(async () => {
    world = await startWorld({ sites: SITES, connect: 0, overrides: { deadlines: { lookAgainMs: [50] } } });
    for (const site of world.fleet.sites) removeItemsWithUpdates(site);
    for (let start = 0; start < SITES; start += 20)
      await Promise.all(Array.from({ length: 20 }, (_, offset) => world.connect(start + offset)));
    const rows = await world.container.database.knex('sites').orderBy('url_key').pluck<number[]>('id');
    inOrder = rows.map((id) => world.siteIds.indexOf(id));
    await createTag(world, 'canary', ...[20, 21, 22].map((place) => world.siteId(inOrder[place] ?? 0)));
  });
  after(() => world.close());
  beforeEach(async () => {
    // Sites without a request still have their pending update.
    const called = [...world.fleet.sites.entries()].filter(([, { requests }]) => requests.length > 0);
    for (const site of world.fleet.sites) site.defects.breakingPage.clear();
    for (const [, site] of called) {
      removeItemsWithUpdates(site);
      site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
      releaseUpdates(site, { plugins: [ALPHA] });
    }
    await syncSites(world, ...called.map(([index]) => world.siteId(index)));
    for (const site of world.fleet.sites) site.requests.length = 0;
  });

  const run = async (body: object, expect = 200) =>
    (await world.request('POST', '/api/v2/updates/update', { body: { type: 'plugins', ...body }, expect })).body;
  const ended = async ({ job_id }: { job_id: string }) => {
    const { data, items } = await world.finishedJob(job_id);
    return { data, items: items as Item[], rings: data.rings as Ring[] };
  };
  const breakOn = (indexes: (number | undefined)[]) => {
    for (const index of indexes) world.site(index ?? 0).defects.breakingPage.set(ALPHA, 500);
  };
  const touched = () => world.fleet.sites.filter((site) => site.requests.length > 0).length;

  it('when rings are planned, then the run puts the same sites into the same rings', async () => {
    const plan = async (query: string) =>
      (await world.request('GET', `/api/v2/updates/plan?type=plugins&rings=canary,10%25,25%25&${query}`)).body;
    const whole = await plan('per_page=100');
    assert.deepEqual(
      whole.rings.map(({ name, total }: Ring) => [name, total]),
      [
        ['canary', 3],
        ['10%', 4],
        ['25%', 10],
        ['rest', 23],
      ],
    );
    assert.deepEqual([touched(), whole.total, whole.summary.plugins], [0, SITES, SITES]);
    const indexes: number[] = whole.data.map(({ ring_index }: Item) => ring_index);
    assert.deepEqual(
      indexes,
      indexes.toSorted((one, other) => one - other),
    );
    assert.deepEqual((await plan('per_page=10&page=2')).data, whole.data.slice(10, 20));
    const { items } = await ended(await run({ rings: ['canary', '10%', '25%'] }));
    const ringsOf = (all: Item[]) =>
      Object.fromEntries(all.map(({ site_id, ring, ring_index }) => [site_id, [ring, ring_index]]));
    assert.deepEqual(ringsOf(whole.data), ringsOf(items));
  });

  it('when every ring passes, then all sites are updated ring by ring, and the job has each result', async () => {
    const { data, items, rings } = await ended(await run({ rings: ['canary', '10%', '25%'] }));
    assert.deepEqual([data.status, data.stop_reason, data.succeeded], ['completed', null, SITES]);
    assert.deepEqual(
      rings.map(({ name, state, total, succeeded, failed, broken }) => [name, state, total, succeeded, failed, broken]),
      [
        ['canary', 'passed', 3, 3, 0, 0],
        ['10%', 'passed', 4, 4, 0, 0],
        ['25%', 'passed', 10, 10, 0, 0],
        ['rest', 'passed', 23, 23, 0, 0],
      ],
    );
    const ringOf = new Map(items.map(({ site_id, ring }) => [site_id, ring]));
    assert.deepEqual(
      [20, 0, 3, 4, 13, 14, 39].map((place) => ringOf.get(world.siteId(inOrder[place] ?? 0))),
      ['canary', '10%', '10%', '25%', '25%', 'rest', 'rest'],
    );
    assert.deepEqual([...new Set(items.map(({ result }) => result?.health?.state))], ['well']);
    const times = (name: string) =>
      items.flatMap(({ site_id, ring }) => {
        const site = world.site(world.siteIds.indexOf(site_id));
        return ring === name
          ? site.requests.filter((each) => each.function === 'upgradeplugintheme').map(({ at }) => at)
          : [];
      });
    for (const [before, behind] of [
      ['canary', '10%'],
      ['10%', '25%'],
      ['25%', 'rest'],
    ] as const)
      assert.ok(Math.max(...times(before)) <= Math.min(...times(behind)), `${behind} begins behind ${before}`);
  });

  it('when a tag is called rest, then ring_index tells its sites from the remaining ones', async () => {
    const tagged = world.siteId(inOrder[39] ?? 0);
    await createTag(world, 'rest', tagged);
    const { items, rings } = await ended(await run({ rings: ['rest'] }));
    assert.deepEqual(
      rings.map(({ name, total }) => [name, total]),
      [
        ['rest', 1],
        ['rest', SITES - 1],
      ],
    );
    for (const { site_id, ring, ring_index } of items)
      assert.deepEqual([ring, ring_index], ['rest', site_id === tagged ? 0 : 1]);
  });

  it('when an update breaks a home page, then the run stops after this ring', async () => {
    breakOn([inOrder[2]]);
    const { data, items, rings } = await ended(await run({ rings: ['canary', '10%', '25%'] }));
    assert.deepEqual(
      rings.map(({ name, state, broken }) => [name, state, broken]),
      [
        ['canary', 'passed', 0],
        ['10%', 'broken', 1],
        ['25%', 'not_begun', 0],
        ['rest', 'not_begun', 0],
      ],
    );
    assert.equal(data.status, 'failed');
    assert.match(data.stop_reason, /^After the updates, 1 site is broken by the end of the ring 10%/);
    const later = items.filter(({ ring }) => ring === '25%' || ring === 'rest');
    assert.equal(later.length, 33);
    assert.deepEqual(
      [...new Set(later.map(({ state, error }) => `${state} ${error?.code}`))],
      ['not_begun svc_ring_stopped'],
    );
    assert.deepEqual(
      later.filter(({ site_id }) => world.site(world.siteIds.indexOf(site_id)).requests.length > 0),
      [],
    );
    assert.ok(touched() <= 7);
    const broken = items.find(({ site_id }) => site_id === world.siteId(inOrder[2] ?? 0));
    assert.equal(broken?.result?.health?.state, 'broken');
    const { body } = await world.request('GET', '/api/v2/jobs?type=update&per_page=1');
    assert.deepEqual(body.data[0].rings, rings);
  });

  it('when fewer sites break than the limit, then the run continues', async () => {
    breakOn([inOrder[20], inOrder[1]]);
    const { rings, data } = await ended(await run({ rings: ['canary', '10%'], stop_after_broken: 3 }));
    assert.deepEqual(
      rings.map(({ state, broken }) => [state, broken]),
      [
        ['passed', 1],
        ['passed', 1],
        ['passed', 0],
      ],
    );
    assert.deepEqual([data.status, data.stop_reason], ['completed', null]);
  });

  /** Makes the sites at these places of the URL order fail in some way, and returns the finished job. */
  const runWith = async (places: readonly number[], spoil: (site: SimulatedSite) => void, body: object = {}) => {
    const sites = places.map((place) => world.site(inOrder[place] ?? 0));
    for (const site of sites) spoil(site);
    const job = await ended(await run({ rings: ['canary', '10%'], ...body }));
    for (const site of sites) {
      site.fault = null;
      site.defects.failingPackages.clear();
    }
    return job;
  };
  const missed = (ring?: Ring) => (ring?.failed ?? 0) + (ring?.unknown ?? 0);
  const fates = (rings: readonly Ring[]) => rings.map(({ state }) => state);

  it('when no canary can be reached, then the run stops and says why', async () => {
    const job = await runWith([20, 21, 22], (site) => (site.fault = { kind: 'refuse' }), { stop_after_failed: 40 });
    assert.deepEqual(fates(job.rings), ['stopped', 'not_begun', 'not_begun']);
    const [canary] = job.rings;
    assert.deepEqual([missed(canary), canary?.installed, canary?.proven], [3, 0, 0]);
    assert.equal(job.data.status, 'failed');
    assert.match(job.data.stop_reason, /^The ring canary proved nothing: 3 sites had updates/);
  });

  it('when the package is missing on every canary, then the run stops', async () => {
    const job = await runWith([20, 21, 22], (site) => site.defects.failingPackages.add(ALPHA), {
      stop_after_failed: 40,
    });
    assert.deepEqual(fates(job.rings), ['stopped', 'not_begun', 'not_begun']);
    assert.equal(touched(), 3);
  });

  it('when one canary of three fails, then the default of 10 % stops the run', async () => {
    const job = await runWith([20], (site) => (site.fault = { kind: 'refuse' }));
    assert.deepEqual(fates(job.rings), ['stopped', 'not_begun', 'not_begun']);
    assert.match(
      job.data.stop_reason,
      /^1 site failed, could not be reached .* in the ring canary, and the run stops at 1\.$/,
    );
  });

  it('when a further canary breaks or fails after the run was stopped, then the reason counts it too', async () => {
    const [first, second] = [20, 21].map((place) => world.site(inOrder[place] ?? 0)) as [SimulatedSite, SimulatedSite];
    second.latencyMs = 150;
    breakOn([inOrder[20], inOrder[21]]);
    const broken = await ended(await run({ rings: ['canary'] }));
    assert.equal(broken.rings[0]?.broken, 2);
    assert.match(broken.data.stop_reason, /^After the updates, 2 sites are broken by the end of the ring canary/);
    for (const site of [first, second]) {
      site.defects.breakingPage.clear();
      site.defects.failingPackages.add(ALPHA);
      removeItemsWithUpdates(site);
      site.performWpAdminAction({ do: 'activate-plugin', plugin: ALPHA });
      releaseUpdates(site, { plugins: [ALPHA] });
    }
    await syncSites(world, ...[20, 21].map((place) => world.siteId(inOrder[place] ?? 0)));
    const { body } = await world.request('POST', `/api/v2/jobs/${broken.data.job_id}/retry-failed`);
    const failed = await ended(body.data);
    for (const site of [first, second]) {
      site.latencyMs = 0;
      site.defects.failingPackages.clear();
    }
    assert.deepEqual([failed.rings[0]?.broken, failed.rings[0]?.failed], [0, 2]);
    assert.match(
      failed.data.stop_reason,
      /^2 sites failed, could not be reached or ended with an unknown outcome in the ring canary, and the run/,
    );
  });

  it('when a canary fails and another is broken, then the reason says that it does not count the broken one', async () => {
    breakOn([inOrder[21]]);
    const job = await runWith([20], (site) => (site.fault = { kind: 'refuse' }), { stop_after_broken: 2 });
    assert.match(
      job.data.stop_reason,
      /^1 site failed.* in the ring canary, not counting broken sites, and the run stops at 1\.$/,
    );
  });

  it('when the canaries have installed the version themselves, then their ring had nothing to do and proved nothing', async () => {
    for (const place of [20, 21, 22])
      world.site(inOrder[place] ?? 0).performWpAdminAction({ do: 'update-plugin', plugin: ALPHA });
    const { rings, items } = await ended(await run({ rings: ['canary'] }));
    const [canary, rest] = rings;
    assert.deepEqual(
      [canary?.state, canary?.installed, canary?.proven, canary?.nothing_to_do],
      ['nothing_to_do', 0, 0, 3],
    );
    assert.deepEqual([rest?.state, rest?.proven], ['passed', SITES - 3]);
    const [own] = items.filter(({ ring }) => ring === 'canary');
    const changes = await world.ability('get-site-changes-v1', { site_id_or_domain: own?.site_id });
    assert.deepEqual(
      changes.changes.filter(
        ({ type, source }: { type: string; source: string }) => type === 'plugin.updated' && source === 'dashboard',
      ),
      [],
    );
  });

  it('when the outcome of a canary is unknown, then it counts against the ring', async () => {
    const job = await runWith([20], (site) => {
      // Three calls without an answer would keep the site from being called for a while.
      site.fault = { kind: 'raw', status: 503, body: '', function: 'stats' };
      site.faultQueue.push({ kind: 'delay', ms: 0, function: 'stats' });
      site.faultQueue.push({ kind: 'cut', bytes: 0, function: 'upgradeplugintheme' });
    });
    assert.equal(job.rings[0]?.state, 'stopped');
    assert.deepEqual([job.rings[0]?.unknown, job.rings[0]?.failed], [1, 0]);
  });

  it('when fewer sites fail than the limit, then the run continues', async () => {
    const refuse = (site: SimulatedSite) => (site.fault = { kind: 'refuse' });
    const share = await runWith([20, 0], refuse, { stop_after_failed: '50%' });
    assert.deepEqual(fates(share.rings), ['passed', 'passed', 'passed']);
    assert.deepEqual(
      share.rings.map((ring) => [missed(ring), ring.proven]),
      [
        [1, 2],
        [1, 3],
        [0, 33],
      ],
    );
  });

  it('when sites fail in two rings, then a number counts over all rings', async () => {
    const refuse = (site: SimulatedSite) => (site.fault = { kind: 'refuse' });
    const job = await runWith([20, 0], refuse, { stop_after_failed: 2 });
    assert.deepEqual(fates(job.rings), ['passed', 'stopped', 'not_begun']);
  });

  it('when a ring has nothing left to install, then it passes as nothing_to_do', async () => {
    const { job_id } = await run({ rings: ['canary', '10%'], stop_after_failed: 40 });
    const first = await ended({ job_id });
    const { knex } = world.container.database;
    await knex('job_items').where({ job_id }).update({ state: 'failed' });
    const { body } = await world.request('POST', `/api/v2/jobs/${job_id}/retry-failed`);
    const again = await ended(body.data);
    assert.equal(first.data.status, 'completed');
    assert.deepEqual(fates(again.rings), ['nothing_to_do', 'nothing_to_do', 'nothing_to_do']);
    assert.deepEqual(
      again.rings.map(({ nothing_to_do, installed }) => [nothing_to_do, installed]),
      [
        [3, 0],
        [4, 0],
        [33, 0],
      ],
    );
    assert.deepEqual([again.data.status, again.data.succeeded], ['completed', SITES]);
  });

  it('when a stopped run is retried, then its sites keep their rings', async () => {
    breakOn([inOrder[20]]);
    const first = await ended(await run({ rings: ['canary', '10%'] }));
    assert.equal(first.rings[0]?.state, 'broken');
    for (const site of world.fleet.sites) site.defects.breakingPage.clear();
    breakOn([inOrder[0]]);
    const { body } = await world.request('POST', `/api/v2/jobs/${first.data.job_id}/retry-failed`);
    const { rings } = await ended(body.data);
    assert.deepEqual(
      rings.map(({ name, state }) => [name, state]),
      [
        ['canary', 'nothing_to_do'],
        ['10%', 'broken'],
        ['rest', 'not_begun'],
      ],
    );
  });

  it('when a run is cancelled, then later rings are not started', async () => {
    for (const index of [20, 21, 22]) world.site(inOrder[index] ?? 0).latencyMs = 200;
    const { job_id } = await run({ rings: ['canary', '10%'] });
    await until(() => touched() > 0, 'the first ring to begin');
    await world.request('DELETE', `/api/v2/jobs/${job_id}`);
    for (const site of world.fleet.sites) site.latencyMs = 0;
    const { rings, data } = await ended({ job_id });
    assert.equal(data.status, 'cancelled');
    assert.deepEqual(
      rings.map(({ state }) => state),
      ['cancelled', 'not_begun', 'not_begun'],
    );
    assert.equal(touched(), 3);
  });

  it('when an ability has rings, then the response has the job without waiting', async () => {
    for (const name of ['run-updates-v1', 'update-all-v1']) {
      const sites = [0, 1, 2].map((index) => world.siteId(index));
      const input = { site_ids_or_domains: sites, types: ['plugins'], rings: ['34%'], stop_after_broken: 2 };
      const answer = await world.ability(name, input);
      assert.deepEqual([answer.queued, answer.sites_queued], [true, name === 'run-updates-v1' ? 3 : 0]);
      const { rings } = await ended(answer);
      assert.deepEqual(
        rings.map(({ total }) => total),
        name === 'run-updates-v1' ? [2, 1] : [0],
      );
    }
    assert.deepEqual(upgradeCallsOf(world.site(0)), [`upgradeplugintheme plugin ${ALPHA}`]);
  });

  it('when a ring is no tag or percentage, or a limit has no rings, then the call is rejected', async () => {
    assert.match((await run({ rings: ['nobody'] }, 400)).data.errors[0].path, /rings$/);
    assert.match((await run({ stop_after_broken: 2 }, 400)).data.errors[0].path, /stop_after_broken$/);
    await run({ rings: ['CANARY'], stop_after_broken: 0 }, 400);
    assert.match((await run({ stop_after_failed: '5%' }, 400)).data.errors[0].path, /stop_after_failed$/);
    for (const wrong of [0, '0%', '101%', 'all']) await run({ rings: ['canary'], stop_after_failed: wrong }, 400);
  });

  for (const [rings, message] of [
    [['0%'], 'must contain only tags and whole percentages from 1% to 100%, not 0%'],
    [['canary', '101%'], 'must contain only tags and whole percentages from 1% to 100%, not 101%'],
    [['33.3%'], 'must contain only tags and whole percentages from 1% to 100%, not 33.3%'],
    [['50%', 'canary', '50%'], 'must contain each ring once, but 50% is given twice'],
    [['canary', 'Canary'], 'must contain each ring once, but Canary is given twice'],
  ] as const)
    it(`when the rings are ${rings.join(', ')}, then plan, run and ability name the wrong one`, async () => {
      const errorOf = async (method: string, path: string, body?: object) =>
        (await world.request(method, path, { ...(body && { body }), expect: 400 })).body.data.errors[0];
      assert.deepEqual(
        [
          await errorOf('GET', `/api/v2/updates/plan?rings=${encodeURIComponent(rings.join(','))}`),
          await errorOf('POST', '/api/v2/updates/update', { rings }),
          await errorOf('POST', '/abilities/v1/svc/run-updates-v1/run', { input: { rings } }),
        ],
        ['query.rings', 'body.rings', 'input.rings'].map((path) => ({ path, message })),
      );
      assert.equal(touched(), 0);
    });
});
