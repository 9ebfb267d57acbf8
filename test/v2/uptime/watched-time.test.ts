import assert from 'node:assert/strict';
import { readReport } from '../../support/pro-reports.ts';
import { ManualClock } from '../../support/schedules.ts';
import { suspendSite, syncSites, unsuspendSite } from '../../support/sites.ts';
import { makeChecksDue, monitorAllSites, runDueChecks } from '../../support/uptime.ts';
import { until } from '../../support/until.ts';
import { ALPHA, releaseUpdates, removeItemsWithUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const DAY = '2026-11-20';
const at = (time: string): string => `${DAY}T${time}:00Z`;

describe('watched time of a monitor', () => {
  let world: World;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock(at('08:00'));
    const deadlines = { confirmAfterMs: 5, checkMs: 60_000 };
    world = await startWorld({ sites: 2, connect: 0, overrides: { clock, tickMs: null, deadlines } });
    await world.freshSite((site) => {
      removeItemsWithUpdates(site);
      releaseUpdates(site, { plugins: [ALPHA] });
    });
    await monitorAllSites(world, { interval: 30 });
  });
  afterEach(() => world.close());

  const checkAt = async (time: string, isUp = true): Promise<void> => {
    clock.set(at(time));
    world.site(0).fault = isUp ? null : { kind: 'raw', status: 500, body: 'Broken' };
    await makeChecksDue(world, world.siteId(0));
    await runDueChecks(world);
  };
  const monitor = async () => (await world.request('GET', `/api/v2/monitors/${world.siteId(0)}`)).body.data;
  const figures = async () => {
    const { summary, counts } = await readReport(world, world.siteId(0), 'uptime', { start_date: DAY, end_date: DAY });
    const { ratio_all: ratio, downtime_minutes: down, watched_minutes: watched, gaps } = summary;
    const { uptime_ratio_24h, uptime_ratio_7d, uptime_ratio_30d } = await monitor();
    assert.deepEqual([uptime_ratio_24h, uptime_ratio_7d, uptime_ratio_30d], [ratio, ratio, ratio]);
    return { ratio, down, watched, gaps, checks: [counts['checks_up'], counts['checks_down']] };
  };

  it('when a person starts 30 checks, then they change neither ratio nor counts nor the schedule', async () => {
    await checkAt('10:00');
    await checkAt('10:30', false);
    clock.set(at('11:00'));
    const expected = { ratio: 50, down: 30, watched: 60, gaps: [], checks: [1, 1] };
    assert.deepEqual(await figures(), expected);
    const { next_check_at } = await monitor();
    for (let count = 0; count < 30; count++) await world.request('POST', `/api/v2/monitors/${world.siteId(0)}/check`);
    assert.deepEqual(await figures(), expected);
    assert.equal((await monitor()).next_check_at, next_check_at);
  });

  it('when the monitor of a site was never on, then checks of persons are not watched time', async () => {
    await world.request('PUT', '/api/v2/monitors/settings', { body: { active: false } });
    const path = `/api/v2/monitors/${world.siteId(0)}/check`;
    await world.request('POST', path);
    clock.set(at('08:10'));
    await world.request('POST', path);
    assert.deepEqual(await figures(), { ratio: null, down: null, watched: 0, gaps: [], checks: [0, 0] });
  });

  it('when the service is stopped while a site is down, then the time without checks is a gap', async () => {
    await checkAt('10:00');
    await checkAt('10:30', false);
    await checkAt('10:45', false);
    await checkAt('14:30', false);
    await checkAt('14:45');
    // Watched from 10:00 to 10:45 and from 14:30 to 14:45; down from 10:30 to 10:45 and from 14:30 to 14:45.
    const gaps = [`${at('10:45')}/${at('14:30')}`];
    assert.deepEqual(await figures(), { ratio: 50, down: 30, watched: 60, gaps, checks: [2, 3] });
  });

  it('when a monitor is switched off or its site suspended, then the time until it is back is a gap', async () => {
    const id = world.siteId(0);
    await checkAt('10:00');
    await checkAt('10:30');
    await world.request('PUT', `/api/v2/monitors/${id}/settings`, { body: { active: false } });
    clock.set(at('10:40'));
    const paused = { ratio: 100, down: 0, watched: 30, gaps: [`${at('10:30')}/${at('10:40')}`], checks: [2, 0] };
    assert.deepEqual(await figures(), paused);
    await world.request('PUT', `/api/v2/monitors/${id}/settings`, { body: { active: true } });
    await checkAt('12:00');
    await checkAt('12:30');
    await suspendSite(world, id);
    await unsuspendSite(world, id);
    await checkAt('14:10');
    const gaps = [`${at('10:30')}/${at('12:00')}`, `${at('12:30')}/${at('14:10')}`];
    assert.deepEqual(await figures(), { ratio: 100, down: 0, watched: 60, gaps, checks: [5, 0] });
  });

  it('when the interval becomes shorter, then the time since the last check is still watched', async () => {
    await world.request('PUT', '/api/v2/monitors/settings', { body: { interval: 60 } });
    await checkAt('10:00');
    clock.set(at('10:40'));
    await world.request('PUT', '/api/v2/monitors/settings', { body: { interval: 5 } });
    await checkAt('10:45');
    assert.deepEqual(await figures(), { ratio: 100, down: 0, watched: 45, gaps: [], checks: [2, 0] });
  });

  it('when an update of this service runs during an incident, then its time is not downtime', async () => {
    const id = world.siteId(0);
    await syncSites(world, id);
    await checkAt('10:00');
    await checkAt('10:10', false);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.site(0).fault = { kind: 'delay', ms: { until: held }, function: 'upgradeplugintheme' };
    clock.set(at('10:20'));
    const update = world.ability('update-site-plugins-v1', { site_id_or_domain: id, slugs: [ALPHA] });
    await until(() => world.site(0).countOf('upgradeplugintheme') === 1, 'the update');
    clock.set(at('10:35'));
    release();
    await update;
    await checkAt('10:40');
    // Down from 10:10 to 10:40, without the 15 minutes of the update.
    assert.deepEqual(await figures(), { ratio: 62.5, down: 15, watched: 40, gaps: [], checks: [2, 1] });
  });
});
