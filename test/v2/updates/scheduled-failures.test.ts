import assert from 'node:assert/strict';
import type { AlertFacts } from '../../../src/domains/mail/index.ts';
import { editEmails, listMails, readMail, sendAlertMails } from '../../support/mail.ts';
import { editSettings, ManualClock, runDueAt } from '../../support/schedules.ts';
import { ALPHA, BETA, releaseUpdates, removeItemsWithUpdates } from '../../support/updates.ts';
import { alertsOf } from '../../support/uptime.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('failures of scheduled updates', () => {
  const [WELL, FAILING, BROKEN, CLOSED, UNKNOWN] = [0, 1, 2, 3, 4];
  let world: World;
  let clock: ManualClock;
  before(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    world = await startWorld({
      sites: 5,
      connect: 0,
      overrides: { clock, tickMs: null, deadlines: { pageAgainMs: 5, lookAgainMs: [] } },
    });
    for (const [index, site] of world.fleet.sites.entries()) {
      removeItemsWithUpdates(site);
      for (const plugin of [ALPHA, BETA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
      releaseUpdates(site, { plugins: index === UNKNOWN ? [ALPHA] : [ALPHA, BETA] });
      await world.connect(index);
    }
    world.site(FAILING).defects.updateFailures.set(ALPHA, 'download_failed');
    world.site(BROKEN).defects.breakingPage.set(BETA, 500);
    // The site answers the call before the update, and none of those behind it.
    world.site(UNKNOWN).fault = { kind: 'raw', status: 503, body: '', function: 'stats' };
    world.site(UNKNOWN).faultQueue.push({ kind: 'delay', ms: 0, function: 'stats' });
    world.site(UNKNOWN).faultQueue.push({ kind: 'cut', bytes: 0, function: 'upgradeplugintheme' });
    world.site(CLOSED).fault = { kind: 'basic', user: 'a', password: 'b' };
    await editEmails(world, 'update_failed', { recipients: 'ops@example.com' });
    await editSettings(world, 'general', {
      plugin_automatic_daily_update: 1,
      time_auto_update: '3:00',
      delay_autoupdate: 0,
    });
    await runDueAt(world, clock, 'auto-updates', '2026-11-22T08:00:00Z');
    const ids = await runDueAt(world, clock, 'auto-updates', '2026-11-23T03:00:00Z');
    await Promise.all(ids.filter((id) => id.startsWith('update_')).map((id) => world.finishedJob(id)));
  });
  after(() => world.close());

  const logOf = async (index: number): Promise<{ type: string; user: string; description: string }[]> =>
    (await world.ability('get-site-changes-v1', { site_id_or_domain: world.siteId(index), per_page: 50 })).changes;

  it('when updates failed, broke the site, could not be sent or are unknown, then each site has one alert', async () => {
    const alerts = await alertsOf<AlertFacts['update_failed']>(world, 'update_failed');
    assert.deepEqual(
      alerts
        .map(({ facts: { isBroken, updates } }) => [isBroken, updates.map(({ type, slug }) => `${type} ${slug}`)])
        .sort(),
      [
        [false, [`plugin ${ALPHA}`]],
        [false, ['site ']],
        [false, [`plugin ${ALPHA}`]],
        [true, [`plugin ${BETA}`]],
      ].sort(),
    );
  });

  it('when mails are written, then they are addressed to the recipients of the type', async () => {
    const mails = (await sendAlertMails(world)).filter(({ type }) => type === 'update_failed');
    assert.deepEqual(
      mails.map(({ subject }) => String(subject).split(':')[0]?.split(', ').sort()),
      [['1 broken', '1 not confirmed', '2 failed updates']],
    );
    assert.ok(mails.every(({ recipients }) => JSON.stringify(recipients).includes('ops@example.com')));
  });

  it('when the outcome of an update is unknown, then the mail says so in a line of its own, and nothing calls it failed', async () => {
    const mail = (await listMails(world)).find(({ subject }) => String(subject).includes('not confirmed'));
    const { text } = await readMail(world, mail?.id);
    const about = String(text)
      .split('\n\n')
      .find((paragraph) => paragraph.startsWith('[Not confirmed]'));
    assert.match(
      about ?? '',
      new RegExp(`Could not be confirmed: Plugin ${ALPHA}: The update was sent, but the state`),
    );
    assert.doesNotMatch(about ?? '', /failed/i);
    assert.ok((await logOf(UNKNOWN)).every(({ type }) => !type.endsWith('update_failed')));
  });

  it('when an update failed, then the log of the site says so', async () => {
    const failed = (await logOf(FAILING)).filter(({ type }) => type === 'plugin.update_failed');
    assert.deepEqual(
      failed.map(({ user }) => user),
      ['schedule:auto-updates'],
    );
    assert.match(failed[0]?.description ?? '', /^The scheduled update failed\. /);
    assert.equal((await logOf(CLOSED)).filter(({ type }) => type === 'site.update_failed').length, 1);
    const types = (await logOf(BROKEN)).map(({ type }) => type);
    assert.deepEqual(
      types.filter((type) => type.startsWith('plugin.update')),
      ['plugin.updated', 'plugin.updated'],
    );
    assert.ok((await logOf(WELL)).every(({ type }) => !type.endsWith('update_failed')));
  });

  it('when the digest is written, then it lists failed and broken sites', async () => {
    const { body } = await world.request('POST', '/api/v2/schedules/daily-digest/run');
    if (body.data) await world.finishedJob(body.data.job_id);
    const digest = (await listMails(world)).find(({ type }) => type === 'daily_digest');
    const { text } = await readMail(world, digest?.id);
    assert.match(text, /== Broken by an update ==/);
    assert.match(text, /== Failed scheduled updates ==/);
    assert.match(text, new RegExp(ALPHA));
    const [, failed = '', unconfirmed = ''] =
      /== Failed scheduled updates ==(.*)== Scheduled updates that could not be confirmed ==(.*?)==/s.exec(text) ?? [];
    const urlOf = (index: number): string => world.site(index).url.replace('http://', '').replace(/\/$/, '');
    assert.ok(unconfirmed.includes(urlOf(UNKNOWN)) && !failed.includes(urlOf(UNKNOWN)), text);
    assert.match(String(digest?.subject), /3 failed update runs, 1 unconfirmed update run/);
  });
});

describe('a site that a scheduled update breaks', () => {
  let world: World;
  let clock: ManualClock;
  beforeEach(async () => {
    clock = new ManualClock('2026-11-22T08:00:00Z');
    world = await startWorld({
      sites: 1,
      connect: 0,
      overrides: { clock, tickMs: null, deadlines: { pageAgainMs: 5, lookAgainMs: [] } },
    });
    const site = world.site(0);
    removeItemsWithUpdates(site);
    for (const plugin of [ALPHA, BETA]) site.performWpAdminAction({ do: 'activate-plugin', plugin });
    releaseUpdates(site, { plugins: [ALPHA, BETA] });
    await world.connect(0);
    site.defects.breakingPage.set(BETA, 500);
    await editSettings(world, 'general', {
      plugin_automatic_daily_update: 1,
      time_auto_update: '3:00',
      delay_autoupdate: 0,
    });
  });
  afterEach(() => world.close());

  async function mailsOfRun() {
    await runDueAt(world, clock, 'auto-updates', '2026-11-22T08:00:00Z');
    const ids = await runDueAt(world, clock, 'auto-updates', '2026-11-23T03:00:00Z');
    await Promise.all(ids.filter((id) => id.startsWith('update_')).map((id) => world.finishedJob(id)));
    const mails = (await sendAlertMails(world)).filter(({ type }) => ['http_check', 'update_failed'].includes(type));
    return Promise.all(mails.map(async ({ id, type }) => ({ type, text: (await readMail(world, id)).text })));
  }

  it('when the broken site cannot be read any more, then its log has the update all the same', async () => {
    const { defects } = world.site(0);
    defects.breakingPage.clear();
    defects.breaking.add(BETA);
    await mailsOfRun();
    const { changes } = await world.ability('get-site-changes-v1', { site_id_or_domain: world.siteId(0) });
    const entries = changes.filter(({ type }: { type: string }) => type === 'plugin.update_failed');
    // Neither update can be proved, because the site does not answer any more.
    assert.deepEqual(
      entries.map(({ description }: { description: string }) => description.slice(0, 36)),
      Array.from({ length: 2 }, () => 'The scheduled update broke the site.'),
    );
  });

  it('when one mail says that the site is broken, then no second mail says so', async () => {
    assert.deepEqual(
      (await mailsOfRun()).map(({ type }) => type),
      ['http_check'],
    );
  });

  it('when further updates were not sent to the broken site, then no second mail says so', async () => {
    world.site(0).defects.breakingPage.clear();
    world.site(0).defects.breaking.add(ALPHA);
    const mails = await mailsOfRun();
    assert.deepEqual(
      mails.map(({ type }) => type),
      ['http_check'],
    );
    assert.equal(world.site(0).state.plugins.get(BETA)?.version, '1.0.0');
  });

  it('when another update of the run failed, then a second mail lists only that one', async () => {
    world.site(0).defects.updateFailures.set(ALPHA, 'download_failed');
    const mails = await mailsOfRun();
    assert.deepEqual(mails.map(({ type }) => type).sort(), ['http_check', 'update_failed']);
    const text = mails.find(({ type }) => type === 'update_failed')?.text ?? '';
    assert.ok(text.includes(ALPHA) && !text.includes(BETA), text);
  });

  it('when the mail of the broken site does not reach the recipients of failed updates, then they are told', async () => {
    await editEmails(world, 'update_failed', { recipients: 'ops@example.com' });
    assert.deepEqual((await mailsOfRun()).map(({ type }) => type).sort(), ['http_check', 'update_failed']);
  });
});
