import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory } from '../support/packages.ts';
import { ServiceFleet, sharedServer } from '../support/service-fleet.ts';
import { until } from '../support/until.ts';
import { FeedServer, osvRecord } from '../support/vulnerabilities.ts';

const SWITCH = 'plugin_action';

const UNFIXED = osvRecord('rig-alpha', '', {
  affected: [
    {
      package: { ecosystem: 'WordPress:Plugin', name: 'rig-alpha' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }],
    },
  ],
});

interface Fix {
  site_id: number;
  action: string;
  state: string;
  reason: { code: string } | null;
}

/** On MariaDB a second process continues. On SQLite the killed process is restarted. */
describe('an activation of a plugin by a killed process', function () {
  this.timeout(300_000);
  let services: ServiceFleet;
  let directory: TestDirectory;
  let feed: FeedServer;
  const other = sharedServer() ? 1 : 0;
  let asked = 0;

  beforeEach(async () => {
    [directory, feed] = await Promise.all([TestDirectory.start(), FeedServer.start()]);
    for (const version of ['1.0', '1.1', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const env = { SITEFLEET_DIRECTORY_URL: directory.url };
    services = await ServiceFleet.start({ sites: 2, entry: 'main-without-https', env });
    asked = 0;
    for (const site of services.fleet.sites) {
      putAlpha(site);
      for (const plugin of site.state.plugins.values()) plugin.update = null;
      site.touch();
    }
    await ask('POST', '/sites/sync');
    feed.content = [UNFIXED];
    const policy = { auto_fix: 1, auto_fix_rings: ['1%'], auto_fix_deactivate: 'low', auto_fix_reactivate: 1 };
    const settings = { osv_sources: [feed.url], auto_fix_severity: 'none', ...policy };
    await ask('PUT', '/settings/vulnerabilities/edit', settings);
    if (sharedServer()) await services.kill(other);
    await refreshAndPlan();
    await until(() => services.fleet.sites.every((site) => !isActive(site)), 'the deactivation', 120_000);
    await until(async () => (await ended('deactivate')).length === 2, 'its end', 60_000);
    for (const site of services.fleet.sites) site.requests.length = 0;
  });
  afterEach(async () => {
    await services.close();
    await feed.close();
    directory.close();
  });

  const ask = (method: string, path: string, body?: object) => services.request(asked, method, `/api/v2${path}`, body);
  /** Does not wait for the schedule of the fixes, which runs every minute. */
  const refreshAndPlan = async (): Promise<void> => {
    const { job_id: refresh } = await services.runSchedule(asked, 'vulnerability-refresh');
    await services.finishedJob(asked, refresh);
    await services.runSchedule(asked, 'vulnerability-fixes');
  };
  const ended = async (action: string): Promise<Fix[]> =>
    (await ask('GET', '/vulnerabilities/fixes')).data.filter(
      (fix: Fix) => fix.action === action && ['done', 'failed', 'stopped'].includes(fix.state),
    );
  const isActive = (site: SimulatedSite): boolean => site.state.plugins.get(ALPHA_FILE)?.active ?? false;
  /** Withdraws the advisory, so that the plugin is activated. Returns the first site, after `calls` calls to it. */
  const reached = async (calls: number, name = SWITCH): Promise<SimulatedSite> => {
    feed.content = [osvRecord('rig-other', '2.0')];
    await refreshAndPlan();
    const { sites } = services.fleet;
    await until(() => sites.some((site) => site.countOf(name) === calls), 'the call', 120_000);
    return sites.find((site) => site.countOf(name) === calls) as SimulatedSite;
  };
  const continueAfterKill = async (): Promise<void> => {
    await services.kill(0);
    await services.restart(other);
    asked = other;
    await until(async () => (await ended('activate')).length === 2, 'the end of the activations', 200_000);
  };

  it('when it dies while the first site activates the plugin, then the next process activates it on each site', async () => {
    for (const site of services.fleet.sites) site.faultQueue.push({ kind: 'hang', function: SWITCH });
    const canary = await reached(1);
    for (const site of services.fleet.sites) if (site !== canary) site.faultQueue.length = 0;
    await continueAfterKill();
    assert.deepEqual(services.fleet.sites.map(isActive), [true, true]);
    assert.deepEqual(
      (await ended('activate')).map(({ state }) => state),
      ['done', 'done'],
    );
  });

  it('when it dies after the activation broke the site, then the next process deactivates the plugin again', async () => {
    for (const site of services.fleet.sites) {
      site.defects.breakingPage.set(ALPHA_FILE, 500);
      site.faultQueue.push({ kind: 'late', function: SWITCH, ms: 60_000 });
    }
    const canary = await reached(1);
    await until(() => isActive(canary), 'the activation', 10_000);
    canary.faultQueue.length = 0;
    await continueAfterKill();
    assert.deepEqual(services.fleet.sites.map(isActive), [false, false]);
    assert.deepEqual((await ended('activate')).map(({ reason }) => reason?.code).sort(), [
      'svc_ring_stopped',
      'svc_rolled_back',
    ]);
  });

  const GUARDED_MOMENTS = { 'uploads the guard file': 'uploader_action', 'activates the plugin': SWITCH };
  for (const [moment, call] of Object.entries(GUARDED_MOMENTS))
    it(`when it dies while it ${moment}, then the site is taken back by its guard file`, async () => {
      await ask('PUT', '/settings/general/edit', { svc_guard_file_sites: [1, 2] });
      for (const site of services.fleet.sites) {
        site.defects.breaking.add(ALPHA_FILE);
        site.faultQueue.push({ kind: 'late', function: call, ms: 60_000 });
      }
      const canary = await reached(1, call);
      if (call === SWITCH) await until(() => isActive(canary), 'the activation', 10_000);
      canary.faultQueue.length = 0;
      await continueAfterKill();
      assert.deepEqual(services.fleet.sites.map(isActive), [false, false]);
      assert.deepEqual((await ended('activate')).map(({ reason }) => reason?.code).sort(), [
        'svc_ring_stopped',
        'svc_rolled_back',
      ]);
      assert.equal(canary.countOf(SWITCH), 2, 'an activation and a deactivation');
      for (const { state } of services.fleet.sites) assert.deepEqual([...state.guardFiles.keys()], []);
    });

  it('when it dies while it deactivates the plugin again, then the next process does that', async () => {
    for (const site of services.fleet.sites) {
      site.defects.breakingPage.set(ALPHA_FILE, 500);
      site.faultQueue.push({ kind: 'delay', function: SWITCH, ms: 0 }, { kind: 'hang', function: SWITCH });
    }
    const canary = await reached(2);
    await continueAfterKill();
    assert.deepEqual(services.fleet.sites.map(isActive), [false, false]);
    assert.ok(canary.countOf(SWITCH) >= 3);
    assert.deepEqual((await ended('activate')).map(({ reason }) => reason?.code).sort(), [
      'svc_ring_stopped',
      'svc_rolled_back',
    ]);
  });
});
