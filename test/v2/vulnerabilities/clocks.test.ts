import assert from 'node:assert/strict';
import { HOUR } from '../../../src/shared/clock.ts';
import { requestsWithin } from '../../support/limited-keys.ts';
import { ManualClock } from '../../support/schedules.ts';
import { ALPHA, removeItemsWithUpdates } from '../../support/updates.ts';
import {
  FeedServer,
  listExposures,
  listVulnerabilities,
  osvRecord,
  refreshFeeds,
  setPluginVersion,
  useOsvFeeds,
} from '../../support/vulnerabilities.ts';
import { startWorld, type World } from '../../support/world.ts';

const SITES = 3;
const at = (hour: number): string => `2026-11-22T${String(hour).padStart(2, '0')}:00:00Z`;

describe('the clocks of vulnerabilities', () => {
  let world: World;
  let clock: ManualClock;
  let feed: FeedServer;

  beforeEach(async () => {
    feed = await FeedServer.start();
    clock = new ManualClock(at(1));
    world = await startWorld({ sites: SITES, connect: 0, overrides: { clock, tickMs: null } });
    for (let index = 0; index < SITES; index++) {
      await world.freshSite(removeItemsWithUpdates);
      await setPluginVersion(world, index, ALPHA, '5.3');
    }
    feed.content = [osvRecord('alpha', '9.1', { published: at(0) })];
    clock.set(at(2));
    await useOsvFeeds(world, feed.url);
    await refreshFeeds(world);
  });
  afterEach(async () => {
    await world.close();
    await feed.close();
  });

  const clocks = async () => (await listVulnerabilities(world, '&state=any')).data[0].clocks;
  const offer = async (index: number, version: string): Promise<void> => {
    world.site(index).performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version });
    await world.ability('sync-sites-v1');
  };
  const KNOWN = { sites: SITES, disclosed_at: at(0), fix_known_at: at(2) };
  const OPEN = { first_offered_at: null, first_patched_at: null, half_patched_at: null, last_patched_at: null };

  it('when sites offer and install the fix one after another, then each event has its time', async () => {
    assert.deepEqual(await clocks(), { ...KNOWN, ...OPEN });
    clock.set(at(3));
    await offer(0, '9.0');
    assert.deepEqual(await clocks(), { ...KNOWN, ...OPEN }, 'the version 9.0 lacks the fix');
    clock.set(at(4));
    await offer(0, '9.2');
    assert.deepEqual(await clocks(), { ...KNOWN, ...OPEN, first_offered_at: at(4) });
    const patched = { ...KNOWN, ...OPEN, first_offered_at: at(4), first_patched_at: at(5) };
    clock.set(at(5));
    await setPluginVersion(world, 0, ALPHA, '9.2');
    assert.deepEqual(await clocks(), patched);
    clock.set(at(7));
    await setPluginVersion(world, 1, ALPHA, '9.1');
    assert.deepEqual(await clocks(), { ...patched, half_patched_at: at(7) });
    clock.time += 24 * HOUR;
    await setPluginVersion(world, 2, ALPHA, '9.1');
    const [{ id }] = (await listVulnerabilities(world, '&state=any')).data;
    const one = (await world.request('GET', `/api/v2/vulnerabilities/${id}`)).body.data;
    assert.deepEqual(one.clocks, { ...patched, half_patched_at: at(7), last_patched_at: '2026-11-23T07:00:00Z' });
    const request = await requestsWithin(world, { sites: [world.siteId(2)] });
    const narrow = (await request('GET', `/vulnerabilities/${id}`)).body.data.clocks;
    assert.deepEqual(
      [narrow.sites, narrow.first_offered_at, narrow.first_patched_at],
      [1, null, '2026-11-23T07:00:00Z'],
      'a limited caller sees the clocks of its sites',
    );
    const exposures = (await listExposures(world, '&state=any')).data as Record<string, unknown>[];
    assert.deepEqual(
      exposures
        .toSorted((one, other) => Number(one['site_id']) - Number(other['site_id']))
        .map(({ disclosed_at, fix_known_at, offered_at }) => [disclosed_at, fix_known_at, offered_at]),
      [
        [at(0), at(2), at(4)],
        [at(0), at(2), null],
        [at(0), at(2), null],
      ],
    );
  });

  it('when the offer is older than the advisory, then the exposure has the time of the offer', async () => {
    clock.set(at(3));
    await offer(1, '9.1');
    feed.content = [
      osvRecord('alpha', '9.1', { published: at(0) }),
      { ...osvRecord('alpha', '9.1'), id: 'OSV-second' },
    ];
    clock.set(at(6));
    await refreshFeeds(world);
    const second = (await listVulnerabilities(world)).data.find(
      (each: Record<string, unknown>) => each['external_id'] === 'OSV-second',
    );
    assert.deepEqual([second.clocks.fix_known_at, second.clocks.first_offered_at], [at(6), at(3)]);
  });

  it('when the feed withdraws the record, then no site counts as patched by it', async () => {
    feed.content = [osvRecord('beta', '9.1')];
    clock.set(at(4));
    await refreshFeeds(world);
    const gone = (await listVulnerabilities(world, '&state=ended')).data[0];
    assert.deepEqual([gone.clocks.sites, gone.clocks.first_patched_at, gone.clocks.last_patched_at], [0, null, null]);
  });
});
