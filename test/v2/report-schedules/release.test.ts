import assert from 'node:assert/strict';
import { migrateDown, migrateUp } from '../../../src/db/migrations/index.ts';
import { editEmails, listMails, readMail, waitForMailState, FakeMailServer } from '../../support/mail.ts';
import {
  addReportSchedule,
  createClientWithSites,
  editReportSchedule,
  makeReport,
  readReport,
  readReportSchedule,
} from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('first reports that wait for their release', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  let client: number;
  beforeEach(async () => {
    server = await new FakeMailServer().start();
    clock = new ManualClock('2026-11-22T09:00:00Z');
    world = await startWorld({ sites: 1, env: { SMTP_URL: server.url }, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
    await editEmails(world, 'report_waiting', { recipients: 'staff@agency.test' });
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const heldSchedule = async (): Promise<number> =>
    (await addReportSchedule(world, { client_id: client, hold_first_report: true })).id;
  const post = (id: number, action: string, expect = 200) =>
    world.request('POST', `/api/v2/reports/${id}/${action}`, { expect });
  const mailsOf = (type: string) => listMails(world, `&type=${type}`);
  const statusOf = async (id: number): Promise<string> => (await readReport(world, id)).release_status;

  it('when the first report is made, then it waits, and staff get a mail instead of the client', async () => {
    const id = await heldSchedule();
    assert.equal((await readReportSchedule(world, id)).hold_status, 'holding');
    const report = await makeReport(world, id);
    assert.deepEqual(
      [report.status, report.release_status, report.waits_since, report.mails],
      ['made', 'waiting', '2026-11-22T09:00:00Z', []],
    );
    assert.deepEqual(await mailsOf('report'), []);
    const [notice, ...others] = await mailsOf('report_waiting');
    assert.deepEqual(others, []);
    await waitForMailState(world, notice.id, 'sent');
    const { subject, text, links } = await readMail(world, notice.id);
    assert.equal(subject, 'Waits for release: report for Corner Bakery');
    for (const fact of ['Period: October 2026', `Report: No. ${report.id}`, 'Goes to: ann@example.com'])
      assert.ok(text.includes(`- ${fact}\n`), text);
    assert.deepEqual(links, []);
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['staff@agency.test']],
    );
    await post(report.id, 'send', 409);
  });

  it('when the mail of a report that waits is read, then the client gets this mail after the release', async () => {
    const schedule = await heldSchedule();
    const { id } = await makeReport(world, schedule);
    const preview = (await world.request('GET', `/api/v2/reports/${id}/mail`)).body.data;
    assert.deepEqual(await mailsOf('report'), []);
    const released = (await post(id, 'release')).body.data;
    assert.equal(released.release_status, 'released');
    await waitForMailState(world, released.mails[0].id, 'sent');
    const sent = await readMail(world, released.mails[0].id);
    for (const field of ['subject', 'from_name', 'reply_to', 'html', 'text', 'links', 'attachments'])
      assert.deepEqual(preview[field], sent[field], field);
    assert.deepEqual(preview.recipients, ['ann@example.com']);
    assert.deepEqual(server.received.at(-1)?.to, ['ann@example.com']);
    assert.equal((await readReportSchedule(world, schedule)).hold_status, 'released');
    const next = await makeReport(world, schedule);
    assert.deepEqual([next.release_status, next.mails.length], ['none', 1]);
  });

  it('when two calls release a report at once, then one mail is sent', async () => {
    const { id } = await makeReport(world, await heldSchedule());
    await Promise.all([post(id, 'release'), post(id, 'release'), post(id, 'release')]);
    assert.equal((await mailsOf('report')).length, 1);
    await post(id, 'discard', 409);
  });

  it('when a later report is made, then it waits behind the first, and the release sends both', async () => {
    const schedule = await heldSchedule();
    const first = await makeReport(world, schedule);
    const second = await makeReport(world, schedule);
    assert.equal(second.release_status, 'waiting');
    const { message } = (await post(second.id, 'release', 409)).body;
    assert.equal(message, `The report waits behind report ${first.id}. Release or discard that one first.`);
    assert.deepEqual(await mailsOf('report'), []);
    await post(first.id, 'release');
    assert.deepEqual([await statusOf(first.id), await statusOf(second.id)], ['released', 'released']);
    assert.equal((await mailsOf('report')).length, 2);
  });

  it('when the hold is switched off while a report waits, then the next one waits behind it', async () => {
    const schedule = await heldSchedule();
    await makeReport(world, schedule);
    await editReportSchedule(world, schedule, { hold_first_report: false });
    assert.equal((await readReportSchedule(world, schedule)).hold_first_report, false);
    const { body } = await world.request('GET', '/api/v2/changes?type=report_schedule.updated&per_page=1&source=all');
    assert.match(body.data[0].description, /^Changed hold_first_report of the report schedule /);
    assert.equal((await makeReport(world, schedule)).release_status, 'waiting');
  });

  it('when a report is discarded, then it is not sent, and the next one is held', async () => {
    const schedule = await heldSchedule();
    const { id } = await makeReport(world, schedule);
    assert.equal((await post(id, 'discard')).body.data.release_status, 'discarded');
    await post(id, 'discard');
    await post(id, 'release', 409);
    assert.equal((await makeReport(world, schedule)).release_status, 'waiting');
    assert.deepEqual(await mailsOf('report'), []);
  });

  it('when report mails are disabled, then a release fails and the report still waits', async () => {
    const { id } = await makeReport(world, await heldSchedule());
    await editEmails(world, 'report', { disable: 1 });
    await post(id, 'release', 409);
    assert.equal(await statusOf(id), 'waiting');
  });

  it('when a report has waited for three days, then staff are reminded once, and the digest counts it', async () => {
    await makeReport(world, await heldSchedule());
    const remind = async (time: string): Promise<string[]> => {
      clock.set(time);
      await world.request('POST', '/api/v2/schedules/report-reminders/run');
      return (await mailsOf('report_waiting')).map(({ subject }) => subject);
    };
    const first = 'Waits for release: report for Corner Bakery';
    assert.deepEqual(await remind('2026-11-25T08:59:59Z'), [first]);
    const both = ['Still waits for release: report for Corner Bakery', first];
    assert.deepEqual(await remind('2026-11-25T09:00:00Z'), both);
    assert.deepEqual(await remind('2026-11-29T09:00:00Z'), both);
    await world.request('POST', '/api/v2/schedules/daily-digest/run');
    const [digest] = await listMails(world, '&type=daily_digest&full_data=true');
    assert.match(digest.text, /\[Waiting\] 1 report waits for release/);
  });

  it('when a schedule says nothing, then the setting decides', async () => {
    const add = async () =>
      (
        await world.request('POST', '/api/v2/report-schedules/add', {
          body: { name: 'Monthly', frequency: 'monthly', client_id: client },
        })
      ).body.data.hold_first_report;
    assert.equal(await add(), true);
    await editSettings(world, 'pro-reports', { hold_first_report: 0 });
    assert.equal(await add(), false);
  });

  it('when the database is upgraded, then existing schedules are not held', async () => {
    const { knex } = world.container.database;
    const id = await heldSchedule();
    while ((await migrateDown(knex))[0] !== '20261127T1000_hold_first_reports');
    await migrateUp(knex);
    const { hold_first_report: holds, hold_status: status } = await readReportSchedule(world, id);
    assert.deepEqual([holds, status], [false, 'none']);
  });
});
