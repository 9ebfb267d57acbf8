import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { SettingsService, type SettingsPatch } from '../../../src/domains/settings/index.ts';
import { recordCalls, maxConcurrentCalls, type RecordedCall } from '../../support/calls.ts';
import { FakeMonotonicClock } from '../../support/monotonic-time.ts';
import { editSettings } from '../../support/settings.ts';
import { syncSites } from '../../support/sites.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

// Runs on SQLite only: the test is about the calls to sites.

const SITES = 6;

describe('limits of calls to sites', () => {
  let world: World;
  /** Two sites share an address. */
  before(async () => (world = await startWorld({ sites: SITES, fleet: { ips: SITES / 2 } })));
  after(() => world.close());
  afterEach(() => {
    for (const site of world.fleet.sites) site.latencyMs = 0;
  });

  const limit = (settings: SettingsPatch<'advanced'>) => editSettings(world, 'advanced', settings);

  const requestsOf = (work: () => Promise<unknown>, isMeant: (call: RecordedCall) => boolean) =>
    recordCalls(world.fleet.sites, work, isMeant);

  /** Waits until the maximum is reached. A busy machine may start fewer calls, but never more. */
  const reaches = (most: number, seenAtOnce: () => Promise<number>): Promise<void> =>
    until(async () => {
      const seen = await seenAtOnce();
      assert.ok(seen <= most, `${seen} calls at the same time`);
      return seen === most;
    }, `${most} calls at the same time`);

  it('when calls per IP address are limited, then all sites at this address share the limit', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 300;
    const address = ({ url }: SimulatedSite): string => new URL(url).hostname;
    const [first] = world.fleet.sites;
    assert.ok(first);
    const neighbours = world.fleet.sites.flatMap((site, index) => (address(site) === address(first) ? [index] : []));
    assert.equal(neighbours.length, 2);
    const there = async (): Promise<number> => {
      const requests = await requestsOf(
        () => syncSites(world),
        ({ signed }) => signed,
      );
      return maxConcurrentCalls(neighbours.flatMap((index) => requests[index] ?? []));
    };
    await limit({ svc_maximum_ip_requests: 1 });
    await reaches(1, there);
    await limit({ svc_maximum_ip_requests: null });
    await reaches(2, there);
  });

  const checks = async (): Promise<number> =>
    maxConcurrentCalls(
      (
        await requestsOf(
          () => world.ability('check-sites-v1'),
          ({ method }) => method === 'HEAD',
        )
      ).flat(),
    );

  it('when uptime checks are limited, then no more checks run at the same time', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 300;
    await limit({ svc_maximum_uptime_monitoring_requests: 2 });
    await reaches(2, checks);
    await limit({ svc_maximum_uptime_monitoring_requests: null });
    await reaches(SITES, checks);
  });

  it('when another process changes the limits, then they apply in this process too', async () => {
    const { container } = world;
    const current = () => container.services.settings.settings.current('advanced');
    const elsewhere = new SettingsService({ ...container, changeLog: container.services.changes.changeLog });
    for (const most of [2, 4]) {
      const changed = {
        svc_maximum_requests: most,
        svc_maximum_ip_requests: most,
        svc_maximum_sync_requests: most,
        svc_maximum_install_update_requests: most,
        svc_maximum_uptime_monitoring_requests: most,
        svc_minimum_delay: most,
        svc_minimum_ip_delay: most,
        svc_ssl_verify_certificate: 0,
      } as const;
      await elsewhere.edit('advanced', changed, 'test');
      for (const site of world.fleet.sites) site.latencyMs = 300;
      await reaches(most, checks);
    }
    const none = Object.fromEntries(Object.keys(current()).map((name) => [name, null]));
    await limit(none);
  });

  it('when updates are limited, then no more sites install updates at the same time', async () => {
    for (const site of world.fleet.sites) site.latencyMs = 300;
    await limit({ svc_maximum_install_update_requests: 2 });
    const requests = await requestsOf(
      () => world.ability('run-updates-v1', { types: ['plugins'] }),
      (request) => request.function === 'upgradeplugintheme',
    );
    assert.ok(requests.flat().length >= 3, 'sites were updated');
    assert.ok(maxConcurrentCalls(requests.flat()) <= 2);
    await limit({ svc_maximum_install_update_requests: null });
  });

  /** Returns the start times of calls to each IP address, in milliseconds of the monotonic clock. */
  async function beginsOf(work: () => Promise<unknown>): Promise<number[][]> {
    const { scheduler } = world.container.child;
    const schedule = scheduler.schedule.bind(scheduler);
    const begins: Record<string, number[]> = {};
    scheduler.schedule = (call) => {
      const run: typeof call.run = (signal) => {
        (begins[call.ipKey] ??= []).push(performance.now());
        return call.run(signal);
      };
      return schedule({ ...call, run });
    };
    await work().finally(() => (scheduler.schedule = schedule));
    return Object.values(begins);
  }

  for (const [setting, rowsOf] of [
    ['svc_minimum_delay', (begins: number[][]) => [begins.flat().sort((a, b) => a - b)]],
    ['svc_minimum_ip_delay', (begins: number[][]) => begins],
  ] as const)
    it(`when ${setting} is set, then calls start at least this delay apart`, async () => {
      const delay = 60;
      const rowsOfSync = async (): Promise<number[][]> => {
        const rows = rowsOf(await beginsOf(() => syncSites(world)));
        assert.ok(rows.length > 0 && rows.every((row) => row.length > 1));
        return rows;
      };
      await limit({ [setting]: delay });
      const rows = await FakeMonotonicClock.hold((time) => {
        time.run();
        return rowsOfSync();
      });
      for (const row of rows)
        for (const [before, begin] of row.slice(1).map((begin, place) => [row[place] ?? 0, begin] as const))
          assert.ok(begin - before >= delay, `${begin - before} ms apart`);
      await limit({ [setting]: null });
      // While the clock stands still, only calls without a delay start.
      for (const row of await FakeMonotonicClock.hold(rowsOfSync)) assert.equal(new Set(row).size, 1);
    });
});
