import assert from 'node:assert/strict';
import { DAY } from '../../../src/shared/clock.ts';
import { editSettings, ManualClock, runDueAt } from '../../support/schedules.ts';
import { ALPHA, BETA, GAMMA, releaseUpdates, removeItemsWithUpdates, upgradeCallsOf } from '../../support/updates.ts';
import {
  FeedServer,
  listVulnerabilities,
  osvRecord,
  refreshFeeds,
  useOsvFeeds,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

const NAME = 'auto-updates';
const START = Date.parse('2026-11-22T08:00:00Z');

describe('the minimum age of releases', () => {
  let world: World;
  let clock: ManualClock;
  let feed: FeedServer;

  /** The first site is offered a patch of alpha, a minor release of beta and a major release of gamma. */
  beforeEach(async () => {
    feed = await FeedServer.start();
    clock = new ManualClock(new Date(START).toISOString());
    world = await startWorld({ sites: 2, connect: 0, overrides: { clock, tickMs: null } });
    for (let index = 0; index < 2; index++) {
      await world.freshSite(removeItemsWithUpdates);
      for (const plugin of [ALPHA, BETA, GAMMA]) {
        const installed = world.site(index).state.plugins.get(plugin) ?? assert.fail();
        installed.version = '1.2.3';
      }
    }
    for (const [plugin, version] of [
      [ALPHA, '1.2.4'],
      [BETA, '1.3'],
      [GAMMA, '2.0'],
    ] as const)
      offer(0, plugin, version);
    await sync();
    const ages = { minimum_age_patch: '1d', minimum_age_minor: '7d', minimum_age_major: 'never' };
    const times = { time_auto_update: '3:00', delay_autoupdate: 0, plugin_automatic_daily_update: 1 };
    await editSettings(world, 'general', { ...times, ...ages });
    await runDueAt(world, clock, NAME, new Date(START).toISOString());
  });
  afterEach(async () => {
    await world.close();
    await feed.close();
  });

  const offer = (index: number, plugin: string, version: string) =>
    world.site(index).performWpAdminAction({ do: 'release-plugin', plugin, version });
  const sync = () => world.ability('sync-sites-v1');
  /** Night of the run, this number of days after the start. */
  const night = (days: number) => Date.parse('2026-11-22T03:00:00Z') + days * DAY;
  async function runAt(at: number) {
    const ids = await runDueAt(world, clock, NAME, new Date(at).toISOString());
    return Promise.all(ids.map((id) => world.finishedJob(id)));
  }
  const slugsOf = (index: number) => upgradeCallsOf(world.site(index)).map((each) => each.split(' ').at(-1));
  const get = async (path: string) => (await world.request('GET', `/api/v2/updates${path}`)).body;
  const held = async (): Promise<[string, string | null][]> =>
    (await get('/left-out?reason=held')).data.map((each: Record<string, string>) => {
      assert.equal(each['code'], 'svc_update_held');
      return [each['slug'], each['held_until']];
    });
  const expose = async (slug: string, fixed: string): Promise<void> => {
    feed.content = [osvRecord(slug, fixed)];
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
  };

  it('when releases are new, then each step is installed at its age, and major ones never', async () => {
    assert.deepEqual(await held(), [
      [ALPHA, '2026-11-23T08:00:00Z'],
      [BETA, '2026-11-29T08:00:00Z'],
      [GAMMA, null],
    ]);
    assert.deepEqual([await runAt(night(1)), slugsOf(0)], [[], []]);
    const [job] = await runAt(night(2));
    const { result } = job.items[0];
    assert.deepEqual(slugsOf(0), [ALPHA]);
    assert.deepEqual(
      result.skipped.map(({ slug, code, held_until }: Record<string, string>) => [slug, code, held_until]),
      [
        [BETA, 'svc_update_held', '2026-11-29T08:00:00Z'],
        [GAMMA, 'svc_update_held', null],
      ],
    );
    assert.deepEqual(await held(), [
      [BETA, '2026-11-29T08:00:00Z'],
      [GAMMA, null],
    ]);
    await runAt(night(8));
    assert.deepEqual(slugsOf(0), [ALPHA, BETA]);
    await runAt(night(300));
    assert.deepEqual(slugsOf(0), [ALPHA, BETA]);
  });

  it('when a release closes a known vulnerability, then it is never held; one that closes nothing is', async () => {
    await expose('gamma', '2.0');
    assert.deepEqual(
      (await held()).map(([slug]) => slug),
      [ALPHA, BETA],
    );
    await expose('beta', '1.4');
    assert.deepEqual(
      (await held()).map(([slug]) => slug),
      [ALPHA, BETA, GAMMA],
      'the release 1.3 of beta is older than the fix',
    );
    await expose('gamma', '1.9');
    await editSettings(world, 'general', { delay_autoupdate: 30 });
    await runAt(night(1));
    assert.deepEqual(slugsOf(0), [GAMMA]);
  });

  it('when a release is above the fix of one branch and vulnerable in the next one, then it is held', async () => {
    const branches = [
      ['0', '1.2.4'],
      ['1.3', '1.3.2'],
    ];
    const ranges = branches.map(([introduced, fixed]) => ({ type: 'ECOSYSTEM', events: [{ introduced }, { fixed }] }));
    feed.content = [
      osvRecord('beta', '1.2.4', { affected: [{ package: { ecosystem: 'WordPress:Plugin', name: 'beta' }, ranges }] }),
    ];
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
    const clocks = async () => (await listVulnerabilities(world)).data[0].clocks;
    const heldSlugs = async () => (await held()).map(([slug]) => slug);
    assert.deepEqual([await heldSlugs(), (await clocks()).first_offered_at], [[ALPHA, BETA, GAMMA], null]);
    assert.deepEqual([await runAt(night(1)), slugsOf(0)], [[], []]);
    offer(0, BETA, '1.3.2');
    await sync();
    assert.deepEqual(await heldSlugs(), [ALPHA, GAMMA]);
    assert.equal((await clocks()).first_offered_at, new Date(clock.time).toISOString().replace('.000', ''));
    await runAt(night(2));
    assert.deepEqual(slugsOf(0).sort(), [ALPHA, BETA].sort());
  });

  it('when a call applies the minimum age, then plan, counts and run leave the same updates out', async () => {
    const { data, summary, total } = await get('/plan?type=plugins&apply_minimum_age=true');
    assert.deepEqual([data, summary.total, total], [[], 0, 0]);
    clock.time = START + DAY;
    const plan = await get('/plan?type=plugins&apply_minimum_age=true');
    const slugs = (updates: { slug: string }[]) => updates.map(({ slug }) => slug);
    assert.deepEqual([plan.summary.plugins, plan.total], [1, 1]);
    assert.deepEqual([slugs(plan.data[0].updates), slugs(plan.data[0].skipped)], [[ALPHA], [BETA, GAMMA]]);
    assert.equal((await get('/plan?type=plugins')).summary.plugins, 3);
    assert.equal((await get('?type=plugins')).total, 3);
    const run = async (body: object) => (await world.request('POST', '/api/v2/updates/update', { body })).body;
    const done = await run({ type: 'plugins', apply_minimum_age: true });
    assert.deepEqual([slugs(done.data), slugs(done.skipped)], [[ALPHA], [BETA, GAMMA]]);
    assert.deepEqual(slugs((await run({ type: 'plugins' })).data), [BETA, GAMMA]);
  });

  it('when the site offers a later version than the planned one, then the run holds it again', async () => {
    offer(0, ALPHA, '1.2.5');
    const [job] = await runAt(night(2));
    const { result } = job.items[0];
    assert.deepEqual(slugsOf(0), []);
    assert.deepEqual(
      result.skipped.map(({ slug, new_version }: Record<string, string>) => `${slug} ${new_version}`),
      [`${BETA} 1.3`, `${GAMMA} 2.0`, `${ALPHA} 1.2.5`],
    );
  });

  it('when WordPress changes the second part of its version, then the release is major', async () => {
    await editSettings(world, 'general', { minimum_age_minor: '0d', automatic_daily_update: 1 });
    releaseUpdates(world.site(1), { core: '6.9' });
    await sync();
    assert.deepEqual(
      (await held()).find(([slug]) => slug === 'wordpress'),
      ['wordpress', null],
    );
  });

  it('when an age is not a number of days, then the setting is rejected', async () => {
    for (const age of ['7', '366d', '-1d', 'often'])
      await world.request('PATCH', '/api/v2/settings/general/edit', { body: { minimum_age_patch: age }, expect: 400 });
  });
});
