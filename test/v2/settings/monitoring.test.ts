import assert from 'node:assert/strict';
import type { SettingsPatch } from '../../../src/domains/settings/index.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { runDueChecks, makeChecksDue, monitorAllSites } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

const MONITORS = '/api/v2/monitors';

describe('settings of all monitors', () => {
  let world: World;
  const clock = new ManualClock('2026-11-22T10:00:00Z');
  before(async () => {
    world = await startWorld({ sites: 1, overrides: { clock, tickMs: null, deadlines: { confirmAfterMs: 10 } } });
    await monitorAllSites(world);
  });
  after(() => world.close());
  afterEach(async () => {
    world.site(0).fault = null;
    await edit({
      svc_uptime_monitoring_type: null,
      svc_uptime_monitoring_keyword: null,
      svc_uptime_monitoring_method: null,
      svc_uptime_monitoring_up_status_codes: null,
      svc_uptime_monitoring_down_confirmation_check: null,
      svc_uptime_monitoring_interval: null,
      svc_uptime_monitoring_active: 1,
    });
    await check();
  });

  const edit = (patch: SettingsPatch<'monitoring'>) => editSettings(world, 'monitoring', patch);
  const read = async () => (await world.request('GET', `${MONITORS}/${world.siteId(0)}`)).body.data;
  const check = async () =>
    (await world.request('POST', `${MONITORS}/${world.siteId(0)}/check`)).body.data.evidence.attempts as {
      finding: string;
    }[];
  /** Returns the HTTP methods of the requests that a call sends. */
  const methodsOf = async (call: () => Promise<unknown>): Promise<string[]> => {
    const from = world.site(0).requests.length;
    await call();
    return world
      .site(0)
      .requests.slice(from)
      .map(({ method }) => method);
  };

  it('when the method changes, then the next check by a monitor or an ability uses the new method', async () => {
    for (const method of ['get', 'head', 'post'] as const) {
      await edit({ svc_uptime_monitoring_method: method });
      assert.deepEqual(await methodsOf(check), [method.toUpperCase()]);
      assert.deepEqual(await methodsOf(() => world.ability('check-sites-v1')), [method.toUpperCase()]);
    }
  });

  it('when the type changes, then the next check has the new type', async () => {
    await edit({ svc_uptime_monitoring_type: 'ping' });
    assert.deepEqual(await methodsOf(check), []);
    await edit({ svc_uptime_monitoring_type: 'keyword', svc_uptime_monitoring_keyword: 'Welcome to us' });
    assert.deepEqual(
      (await check()).map(({ finding }) => finding),
      ['keyword_missing', 'keyword_missing'],
    );
    world.site(0).fault = { kind: 'raw', status: 200, body: '<p>Welcome to us</p>' };
    const [found] = await check();
    assert.equal(found?.finding, 'keyword_found');
    await edit({ svc_uptime_monitoring_keyword: 'welcome to them' });
    assert.equal((await check())[0]?.finding, 'keyword_missing');
  });

  it('when a status code becomes accepted, then the site is up with it', async () => {
    world.site(0).fault = { kind: 'raw', status: 503, body: '' };
    await check();
    assert.equal((await read()).last_status, 'down');
    await edit({ svc_uptime_monitoring_up_status_codes: [503] });
    await check();
    assert.equal((await read()).last_status, 'up');
  });

  it('when the confirmation is off, then the second failed check sets the state down', async () => {
    await edit({ svc_uptime_monitoring_down_confirmation_check: 0 });
    world.site(0).fault = { kind: 'raw', status: 503, body: '' };
    for (const state of ['pending', 'down']) {
      assert.equal((await check()).length, 1);
      assert.equal((await read()).last_status, state);
    }
  });

  it('when the interval changes, then the next check is due after the new interval', async () => {
    for (const minutes of [5, 30] as const) {
      await edit({ svc_uptime_monitoring_interval: minutes });
      await makeChecksDue(world);
      await runDueChecks(world);
      const { check_frequency, last_check_at, next_check_at } = await read();
      assert.equal(check_frequency, `${minutes}m`);
      const wait = Date.parse(next_check_at) - Date.parse(last_check_at);
      assert.ok(wait > 0 && wait <= minutes * 60_000, `${wait} ms`);
    }
  });

  it('when monitoring is off, then no monitor is checked by the schedule', async () => {
    await edit({ svc_uptime_monitoring_active: 0 });
    await makeChecksDue(world);
    assert.deepEqual(await methodsOf(() => runDueChecks(world)), []);
    assert.equal((await read()).paused, true);
    await edit({ svc_uptime_monitoring_active: 1 });
    assert.deepEqual(await methodsOf(() => runDueChecks(world)), ['HEAD']);
  });
});
