import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { editSettings, ManualClock, readSchedule, runDueAt } from '../../support/schedules.ts';
import { createTag } from '../../support/tags.ts';
import { ALPHA, removeItemsWithUpdates, BETA, upgradeCallsOf, releaseUpdates } from '../../support/updates.ts';
import { startWorld, type World } from '../../support/world.ts';

const NAME = 'auto-updates';
const SITES = 4;
const EVERY_KIND = {
  plugin_automatic_daily_update: 1,
  theme_automatic_daily_update: 1,
  trans_automatic_daily_update: 1,
  automatic_daily_update: 1,
};
const iso = (time: number): string => new Date(time).toISOString();

describe('automatic updates', () => {
  let world: World;
  let clock: ManualClock;
  /** Slug of a theme of the first site. */
  let theme: string;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    world = await startWorld({ sites: SITES, connect: 0, overrides: { clock, tickMs: null } });
    for (const [index, site] of world.fleet.sites.entries()) {
      const [first] = removeItemsWithUpdates(site).themes;
      if (index === 0) theme = first;
      for (const plugin of [ALPHA, BETA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
      releaseUpdates(site, { plugins: [ALPHA] });
      await world.connect(index);
    }
    await editSettings(world, 'general', { time_auto_update: '3:00', delay_autoupdate: 0 });
  });
  afterEach(() => world.close());

  const enable = (general: object = {}) =>
    editSettings(world, 'general', { plugin_automatic_daily_update: 1, ...general });
  /** Runs the schedule at this time and returns all of its finished jobs. */
  async function runAt(at: number) {
    const ids = await runDueAt(world, clock, NAME, iso(at));
    return Promise.all(ids.filter((id) => id.startsWith('update_')).map((id) => world.finishedJob(id)));
  }
  const updated = () => world.fleet.sites.map((site) => upgradeCallsOf(site).length);
  const slugsOf = (index: number) => upgradeCallsOf(world.site(index)).map((each) => each.split(' ').at(-1));
  /** Time of the run, this number of days from the start. The first tick only computes the next run. */
  const night = (days: number) => Date.parse('2026-11-22T03:00:00Z') + days * DAY;
  const settle = () => runDueAt(world, clock, NAME, iso(clock.time));

  it('when no kind is enabled, then the schedule is inactive', async () => {
    assert.equal((await readSchedule(world, NAME)).active, false);
    await settle();
    assert.deepEqual([await runAt(night(3)), updated()], [[], [0, 0, 0, 0]]);
  });

  it('when the schedule is due, then a job updates all connected sites and no others', async () => {
    await enable();
    await world.request('POST', `/api/v2/sites/${world.siteId(1)}/suspend`);
    await world.request('POST', `/api/v2/sites/${world.siteId(2)}/disconnect`);
    await settle();
    assert.deepEqual(await runAt(night(1) - HOUR), []);
    const [job, ...more] = await runAt(night(1));
    assert.deepEqual(more, []);
    assert.deepEqual(
      [job.data.type, job.data.requested_by, job.data.total, job.data.succeeded],
      ['update', `schedule:${NAME}`, 2, 2],
    );
    assert.deepEqual(updated(), [1, 0, 0, 1]);
    assert.equal((await runAt(night(2))).length, 1, 'nothing waits any more');
  });

  for (const [flag, index] of Object.keys(EVERY_KIND).map((name, at) => [name, at] as const))
    it(`when only ${flag} is on, then only updates of this kind are installed`, async () => {
      const site = world.site(0);
      releaseUpdates(site, { core: '9.0', themes: [theme], translations: ['akismet'] });
      await world.ability('sync-sites-v1');
      await editSettings(world, 'general', { [flag]: 1 });
      await settle();
      await runAt(night(1));
      const calls = [
        `upgradeplugintheme plugin ${ALPHA}`,
        `upgradeplugintheme theme ${theme}`,
        'upgradetranslation translation akismet',
        'upgrade',
      ];
      assert.deepEqual(upgradeCallsOf(site), [calls[index]]);
    });

  it('when an update is newer than the delay, then it is not installed, even after another sync', async () => {
    await enable({ delay_autoupdate: 3 });
    clock.time = night(2);
    releaseUpdates(world.site(0), { plugins: [BETA] });
    world.site(1).performWpAdminAction({ do: 'release-plugin', plugin: ALPHA, version: '9.5' });
    await world.ability('sync-sites-v1');
    await settle();
    const [job] = await runAt(night(4));
    assert.deepEqual([job.data.total, slugsOf(0), slugsOf(1)], [3, [ALPHA], []]);
    await world.ability('sync-sites-v1');
    await runAt(night(5));
    assert.deepEqual([slugsOf(0), slugsOf(1)], [[ALPHA, BETA], [ALPHA]]);
  });

  it('when an update is ignored or its site lacks a required backup, then it is not installed', async () => {
    await enable({ backup_before_upgrade: 1 });
    await world.request('POST', `/api/v2/updates/${world.siteId(0)}/ignore/plugins`, { body: { slug: ALPHA } });
    const { backups } = world.container.services.backups;
    await backups.record(world.container.database.knex, 'test', new Map([[world.siteId(1), night(1) - DAY]]));
    await settle();
    const [job] = await runAt(night(1));
    assert.deepEqual([job.data.total, updated()], [3, [0, 1, 0, 0]]);
    assert.deepEqual(
      job.errors.map(({ code }: { code: string }) => code),
      ['svc_backup_required', 'svc_backup_required'],
    );
  });

  it('when rings are set, then a run stops after the ring with a broken home page', async () => {
    await createTag(world, 'canary', world.siteId(2));
    await enable({ auto_update_rings: ['canary', '25%'], auto_update_stop_after_broken: 1 });
    world.site(2).defects.breakingPage.set(ALPHA, 500);
    await settle();
    const [job] = await runAt(night(1));
    assert.deepEqual(
      job.data.rings.map(({ name, state }: { name: string; state: string }) => [name, state]),
      [
        ['canary', 'broken'],
        ['25%', 'not_begun'],
        ['rest', 'not_begun'],
      ],
    );
    assert.deepEqual(updated(), [0, 0, 1, 0]);
  });

  it('when a ring is neither a tag nor a share, then the setting is rejected with its position', async () => {
    const tag = await createTag(world, 'canary');
    const edit = (body: object, expect: number) =>
      world.request('PATCH', '/api/v2/settings/general/edit', { body, expect });
    const { body } = await edit({ auto_update_rings: ['Canary', '25%', 'gone', '101%'] }, 400);
    assert.deepEqual(
      body.data.errors.map(({ path }: { path: string }) => path),
      ['body.auto_update_rings.2', 'body.auto_update_rings.3'],
    );
    const { body: repeated } = await edit({ auto_update_rings: ['25%', '0%', '25%'] }, 400);
    assert.deepEqual(repeated.data.errors, [
      {
        path: 'body.auto_update_rings.1',
        message: 'must contain only tags and whole percentages from 1% to 100%, not 0%',
      },
      { path: 'body.auto_update_rings.2', message: 'must contain each ring once, but 25% is given twice' },
    ]);
    await edit({ auto_update_rings: ['Canary', '25%'] }, 200);
    await world.request('DELETE', `/api/v2/tags/${tag}/remove`);
    // A tag that was deleted later does not keep other settings from being edited.
    await edit({ delay_autoupdate: 1 }, 200);
  });

  it('when the tag of a ring was deleted, then a run is refused, and the error names the setting', async () => {
    const tag = await createTag(world, 'canary');
    await enable({ auto_update_rings: ['25%', 'canary'] });
    await world.request('DELETE', `/api/v2/tags/${tag}/remove`);
    const { body } = await world.request('POST', `/api/v2/schedules/${NAME}/run`, { expect: 409 });
    assert.deepEqual(
      [body.code, body.data],
      ['svc_schedule_misconfigured', { status: 409, setting: 'auto_update_rings' }],
    );
    const message = 'The general setting auto_update_rings.1 must contain only tags and percentages, not canary.';
    assert.equal(body.message, message);
    await settle();
    assert.deepEqual(await runAt(night(1)), []);
    assert.equal((await readSchedule(world, NAME)).last_error?.message, message);
  });

  const timings: [string, object, string, string][] = [
    ['daily', { time_auto_update: '23:30' }, '30 23 * * *', '2026-11-22T23:30:00Z'],
    ['weekly', { frequency_auto_update: 'weekly', dayinweek_auto_update: 2 }, '0 3 * * 2', '2026-11-24T03:00:00Z'],
    ['monthly', { frequency_auto_update: 'monthly', dayinmonth_auto_update: 5 }, '0 3 5 * *', '2026-12-05T03:00:00Z'],
    [
      'at the end of a month',
      { frequency_auto_update: 'monthly', dayinmonth_auto_update: 0 },
      '0 3 L * *',
      '2026-11-30T03:00:00Z',
    ],
    [
      'on a day that a month lacks',
      { frequency_auto_update: 'monthly', dayinmonth_auto_update: 31 },
      '0 3 L * *',
      '2026-11-30T03:00:00Z',
    ],
    [
      'in a time zone',
      { timezone_string: 'Europe/Berlin', time_auto_update: '9:30' },
      '30 9 * * *',
      '2026-11-22T08:30:00Z',
    ],
  ];
  for (const [words, general, pattern, next] of timings)
    it(`when updates are scheduled ${words}, then the next run has this time`, async () => {
      await enable(general);
      await settle();
      const record = await readSchedule(world, NAME);
      assert.deepEqual([record.pattern, record.next_run], [pattern, next]);
    });

  it('when updates run on the 30th, then February has its run on the last day', async () => {
    await enable({ frequency_auto_update: 'monthly', dayinmonth_auto_update: 30 });
    const next = async (at: string) => {
      await runDueAt(world, clock, NAME, at);
      return (await readSchedule(world, NAME)).next_run as string;
    };
    assert.equal(await next('2027-01-29T00:00:00Z'), '2027-01-30T03:00:00Z');
    assert.equal(await next('2027-01-30T03:00:00Z'), '2027-02-28T03:00:00Z');
    assert.equal(await next('2027-02-28T03:00:00Z'), '2027-03-30T03:00:00Z');
  });
});
