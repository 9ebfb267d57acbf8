import assert from 'node:assert/strict';
import {
  downAlert,
  editEmails,
  listMails,
  waitForMailState,
  FakeMailServer,
  raiseAlerts,
  sendAlertMails,
  upAlert,
} from '../../support/mail.ts';
import { editSettings } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('alerts', () => {
  let server: FakeMailServer;
  let world: World;
  beforeEach(async () => {
    server = await new FakeMailServer().start();
    world = await startWorld({ env: { SMTP_URL: server.url }, overrides: { tickMs: null } });
    await editEmails(world, 'uptime', { recipients: 'ops@example.com, night@example.com' });
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  it('when an alert is raised several times, then one mail is sent', async () => {
    await raiseAlerts(world, downAlert('i1'), downAlert('i1'));
    await sendAlertMails(world);
    await raiseAlerts(world, downAlert('i1'));
    const [mail, ...others] = await sendAlertMails(world);
    assert.deepEqual(others, []);
    await waitForMailState(world, mail.id, 'sent');
    const [received] = server.received;
    assert.deepEqual(received?.to, ['ops@example.com', 'night@example.com']);
    assert.equal(received.mail.subject, 'Down: Example');
    assert.match(mail.text, /Down since: November 21, 2026 10:57 am/);
    assert.match(mail.text, /HTTP status: no answer/);
    assert.deepEqual(mail.links, []);
    assert.deepEqual(mail.html.match(/href="[^"]*"/g), ['href="https://example-1.com/"']);
  });

  it('when a site goes down and recovers before a mail is written, then one mail reports both', async () => {
    await raiseAlerts(world, downAlert('i1'), upAlert('i1'));
    const mails = await sendAlertMails(world);
    assert.equal(mails.length, 1);
    assert.equal(mails[0].subject, 'Was down: Example');
    assert.match(mails[0].text, /Duration: 4 min 10 s/);
  });

  it('when there are many alerts of a type, then one mail contains all', async () => {
    for (const alert of Array.from({ length: 60 }, (_, at) => downAlert(`i${at}`, `Site ${at}`, at + 1)))
      await raiseAlerts(world, alert);
    await raiseAlerts(world, upAlert('old', 'Old', 99), {
      type: 'site_health',
      key: 'health:1',
      site: { id: 1, url: 'https://example.com/', name: 'Example' },
      facts: { score: 40, threshold: 80 },
    });
    const mails = await sendAlertMails(world);
    assert.deepEqual(mails.map(({ type, subject }) => [type, subject]).sort(), [
      ['site_health', 'Site health: Example'],
      ['uptime', '60 down, 1 up again: 61 sites'],
    ]);
    const storm = mails.find(({ type }) => type === 'uptime');
    assert.match(storm.text, /Site 49\n[\s\S]*and 11 more/);
    assert.doesNotMatch(storm.text, /Site 50\n/);
  });

  it('when two sites go down together, then one mail reports both', async () => {
    for (let at = 0; at < 2; at++) await raiseAlerts(world, downAlert(`i${at}`, `Site ${at}`, at + 1));
    const mails = await sendAlertMails(world);
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['Down: 2 sites'],
    );
    assert.match(mails[0].text, /Site 0\n[^]*Site 1\n/);
  });

  it('when an alert type is disabled, then no mail is sent, also not after it is enabled again', async () => {
    await editEmails(world, 'uptime', { disable: 1 });
    await raiseAlerts(world, downAlert('i1'));
    assert.deepEqual(await sendAlertMails(world), []);
    await editEmails(world, 'uptime', { disable: 0 });
    assert.deepEqual(await sendAlertMails(world), []);
    await raiseAlerts(world, downAlert('i2'));
    assert.equal((await sendAlertMails(world)).length, 1);
  });

  it('when a later release has raised an alert of another type, then it waits and the others are mailed', async () => {
    await raiseAlerts(world, { ...downAlert('i1'), type: 'of_tomorrow' as 'uptime' }, downAlert('i2'));
    assert.equal((await sendAlertMails(world)).length, 1);
    const { knex } = world.container.database;
    assert.deepEqual(await knex('alerts').whereNull('handled_at').pluck('type'), ['of_tomorrow']);
    await knex('alerts').where({ type: 'of_tomorrow' }).delete();
  });

  it('when heading, subject and recipients are set, then the next mail uses them', async () => {
    await editEmails(world, 'uptime', {
      heading: 'Wake up',
      subject: '[fleet] {site} is {status} ({count})',
      recipients: 'Boss@Example.COM,boss@example.com , Boss@example.com',
    });
    await raiseAlerts(world, downAlert('i1'));
    const [mail] = await sendAlertMails(world);
    assert.equal(mail.subject, '[fleet] Example is Down (1)');
    assert.match(mail.html, /<h1[^>]*>Wake up<\/h1>/);
    assert.deepEqual(
      mail.recipients.map(({ address }: { address: string }) => address),
      ['Boss@example.com', 'boss@example.com'],
    );
  });

  it('when date format and time zone are set, then mails use them', async () => {
    await editSettings(world, 'general', {
      date_format: 'Y-m-d',
      time_format: 'H:i',
      timezone_string: 'America/New_York',
    });
    await raiseAlerts(world, downAlert('i1'));
    const [mail] = await sendAlertMails(world);
    assert.match(mail.text, /Down since: 2026-11-21 05:57/);
  });

  for (const [probe, words] of [
    ['home_page', 'Home page'],
    ['admin_ajax', 'WordPress start (admin-ajax.php)'],
    ['signed_stats', 'Signed request to the child plugin'],
  ])
    it(`when the probe ${probe} finds a site broken, then the mail names it under a heading for every probe`, async () => {
      const { site } = downAlert('i1');
      const facts = { probe, statusBefore: 200, statusAfter: 500, updates: [], jobId: null };
      await raiseAlerts(world, { type: 'http_check', key: `broken:${probe}`, site, facts });
      const [{ text }] = await sendAlertMails(world);
      assert.match(text, /^Site broken by an update\n/);
      assert.ok(text.includes(`- Checked: ${words}\n- Before: 200\n- After: 500\n`), text);
    });

  it('when a site name contains markup and headers, then it is plain text in HTML, text and subject', async () => {
    const hostile = 'A\r\nBcc: all@example.com\r\n\r\n<script>alert(1)</script>"\'&{count}<%= 1 %>\u202e';
    await raiseAlerts(world, downAlert('i1', hostile));
    const [mail] = await sendAlertMails(world);
    await waitForMailState(world, mail.id, 'sent');
    assert.doesNotMatch(mail.html, /<script>|<%=/);
    assert.match(mail.html, /&lt;script&gt;alert\(1\)/);
    assert.match(mail.text, /A Bcc: all@example.com <script>/);
    assert.equal(mail.subject, `Down: A Bcc: all@example.com <script>alert(1)</script>"'&{count}<%= 1 %>`);
    const [received] = server.received;
    assert.equal(received?.mail.subject, mail.subject);
    assert.equal(received?.mail.bcc, undefined);
    assert.equal(received?.to.length, 2);
  });

  it('when a site URL is not http, then the mail has no link to it', async () => {
    const alert = downAlert('i1');
    await raiseAlerts(world, { ...alert, site: { ...alert.site, url: 'javascript:alert(1)' } });
    const [mail] = await sendAlertMails(world);
    assert.doesNotMatch(mail.html, /href="javascript/);
  });

  it('when the job of a mail is cancelled, then the mail is failed and can be resent', async () => {
    server.refuseRecipient = () => Object.assign(new Error('Later'), { responseCode: 451 });
    await raiseAlerts(world, downAlert('i1'));
    const [mail] = await sendAlertMails(world);
    await until(async () => (await listMails(world))[0].next_attempt_at !== null, 'the first attempt to be over');
    await world.request('DELETE', `/api/v2/jobs/${mail.job_id}`);
    // An attempt that is just ending still belongs to the job.
    await until(async () => (await sendAlertMails(world))[0].state === 'failed', 'the mail to be given up');
    assert.equal((await listMails(world))[0].error.code, 'cancelled');
    server.refuseRecipient = () => null;
    await world.request('POST', `/api/v2/outbox/${mail.id}/resend`);
    await waitForMailState(world, mail.id, 'sent');
    assert.equal(server.received.length, 1);
  });
});
