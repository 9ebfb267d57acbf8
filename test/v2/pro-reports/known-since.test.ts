import assert from 'node:assert/strict';
import { createClient } from '../../support/clients.ts';
import { seedIncident, seedWatch } from '../../support/monitor-history.ts';
import { readClientReport, readReport, readReports, reportPath } from '../../support/pro-reports.ts';
import { ManualClock } from '../../support/schedules.ts';
import { makeChecksDue, monitorAllSites, runDueChecks } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

const CONNECTED = '2026-11-24T14:00:00Z';
const OCTOBER = { start_date: '2026-10-01', end_date: '2026-10-31' };
const NOVEMBER = { start_date: '2026-11-01', end_date: '2026-11-30' };
const LOGGED = ['plugins', 'themes', 'core', 'posts', 'pages', 'users', 'comments', 'menus', 'media'];

describe('reports on time before a site was known', () => {
  let world: World;
  let clock: ManualClock;
  let client: number;

  before(async () => {
    clock = new ManualClock('2026-09-01T10:00:00Z');
    const deadlines = { confirmAfterMs: 5, checkMs: 60_000 };
    world = await startWorld({ sites: 2, connect: 1, overrides: { clock, tickMs: null, deadlines } });
    clock.set(CONNECTED);
    await world.connect(1);
    await monitorAllSites(world, { interval: 60 });
    await runDueChecks(world);
    clock.set('2026-11-24T15:00:00Z');
    await makeChecksDue(world);
    await runDueChecks(world);
    client = await createClient(world, 'Harbour', { selected_sites: [world.siteId(0), world.siteId(1)] });
  });
  after(() => world.close());

  const page = async (path: string, days: Record<string, string>): Promise<string> =>
    (
      await world
        .agent()
        .get(reportPath(path, { ...days, format: 'html' }))
        .expect(200)
    ).text;
  const lead = (text: string): string => /<p class="lead">([^<]*)/.exec(text)?.[1] ?? '';
  const note = (text: string): string => /<p class="note">([^<]*)/.exec(text)?.[1] ?? '';

  it('when a site was connected on 24 November, then the report on October says so and has no figures', async () => {
    const id = world.siteId(1);
    const { segments, known_since } = await readReports(world, id, OCTOBER);
    assert.equal(known_since, CONNECTED);
    for (const name of LOGGED) assert.equal(segments[name]?.source, 'none', name);
    const { summary, items } = await readReport(world, id, 'uptime', OCTOBER);
    assert.deepEqual(
      [items, summary['ratio_all'], summary['downtime_minutes'], summary['watched_since'], summary['gaps']],
      [[], null, null, CONNECTED, []],
    );
    const text = await page(`pro-reports/${id}`, OCTOBER);
    assert.match(note(text), /^This site was added on November 24, 2026, so there are no figures about this period\.$/);
    assert.doesNotMatch(text, /No updates were installed|updates installed|Downtime|online|Online/);
    for (const segment of ['plugins', 'uptime'])
      assert.match(note(await page(`pro-reports/${id}/${segment}`, OCTOBER)), /^This site was added on November 24/);
  });

  it('when a site was known before the period, then a month without updates has that figure', async () => {
    const { segments } = await readReports(world, world.siteId(0), OCTOBER);
    for (const name of LOGGED) assert.equal(segments[name]?.source, 'change-log', name);
    const text = lead(await page(`pro-reports/${world.siteId(0)}`, OCTOBER));
    assert.match(
      text,
      /^No updates were installed\. The availability of the site has been watched since November 24, 2026\./,
    );
  });

  it('when a site became known during the period, then its figures begin then', async () => {
    const text = await page(`pro-reports/${world.siteId(1)}`, NOVEMBER);
    assert.match(note(text), /This site was added on November 24, 2026, so its figures begin then\.$/);
    assert.match(lead(text), /Since November 24, 2026, the site was online 100% of the time\./);
  });

  it('when the log of the child reaches back before that day, then no page counts what happened then', async () => {
    const id = world.siteId(1);
    const entry = { site_id: id, source: 'child_changes', type: 'plugin.updated', description: 'Updated.' };
    const rest = { actor: 'anna', object_key: 'a/a.php', old_values: null, new_values: null };
    const updates = ['2026-10-12T08:00:00Z', '2026-11-05T08:00:00Z', '2026-11-24T14:30:00Z'].map((at, index) => ({
      ...{ ...entry, ...rest, at: Date.parse(at), external_id: `${index}`, object_name: `Plugin ${index}` },
    }));
    await world.container.database.knex('changes').insert(updates);
    await world.container.database.knex('change_counts').insert({
      site_id: id,
      month: Date.parse('2026-10-01T00:00:00Z'),
      source: 'child_changes',
      type: 'plugin.updated',
      count: 4,
    });
    const updated = async (days: Record<string, string>): Promise<unknown> =>
      (await readReport(world, id, 'plugins', days)).counts['updated'];
    assert.deepEqual([await updated(OCTOBER), await updated(NOVEMBER)], [5, 2]);
    assert.doesNotMatch(lead(await page(`pro-reports/${id}`, OCTOBER)), /updates? w/);
    assert.match(lead(await page(`pro-reports/${id}`, NOVEMBER)), /^1 update was installed\./);
    const rows = (text: string): string[] => [...text.matchAll(/Plugin \d/g)].map(([name]) => name);
    assert.deepEqual(rows(await page(`pro-reports/${id}/plugins`, NOVEMBER)), ['Plugin 2']);
    await world.container.database.knex('changes').where({ actor: 'anna' }).delete();
    await world.container.database.knex('change_counts').delete();
  });

  it('when a client has sites that became known later, then its page names their days', async () => {
    const { data } = await readClientReport(world, client, OCTOBER);
    assert.deepEqual(
      data.sites.map(({ known_since }: { known_since: string }) => known_since),
      ['2026-09-01T10:00:00Z', CONNECTED],
    );
    const text = await page(`clients/${client}/pro-reports`, OCTOBER);
    assert.match(lead(text), /On 1 of 2 sites, no updates were installed\./);
    assert.match(note(text), /1 of these sites was added during or after this period, so its figures begin later\./);
    assert.match(text, /data-label="Added on"><span>Nov\s24,\s2026</);
    assert.doesNotMatch(
      await page(`clients/${client}/pro-reports`, { ...NOVEMBER, start_date: '2026-11-25' }),
      /known/i,
    );
  });

  it('when nobody watched a site for some time, then the page names this time', async () => {
    const id = world.siteId(0);
    const { knex } = world.container;
    const at = (time: string): number => Date.parse(`2026-09-${time}:00Z`);
    await seedWatch(knex, [id], at('02T00:00'), at('10T10:00'));
    await seedWatch(knex, [id], at('10T14:00'), at('29T00:00'));
    await seedIncident(knex, id, at('05T00:00'), at('05T00:22'));
    const september = { start_date: '2026-09-02', end_date: '2026-09-28' };
    const text = await page(`pro-reports/${id}`, september);
    // 22 of 38,640 minutes are 0.0569 %.
    assert.match(
      lead(text),
      /The site was online 99\.943% of the watched time; it was down once, for 22\u00a0minutes in total; it was not watched for 4\u00a0hours\./,
    );
    assert.match(text, /Not watched: September 10, 2026 at 10:00 AM – 2:00 PM\./);
    const paused = { start_date: '2026-10-01', end_date: '2026-10-31' };
    assert.match(lead(await page(`pro-reports/${id}`, paused)), /The availability of the site was not watched\./);
  });
});
