import assert from 'node:assert/strict';
import { editEmails, headersOf, listMails, waitForMailState, FakeMailServer } from '../../support/mail.ts';
import {
  addReportSchedule,
  createClientWithSites,
  listReports,
  makeReport,
  readFile,
  readReport,
} from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('stored reports', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  let client: number;
  before(async () => {
    server = await new FakeMailServer().start();
    clock = new ManualClock('2026-11-22T09:00:00Z');
    const env = { SMTP_URL: server.url };
    world = await startWorld({ sites: 2, env, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Harbour Bakery', 'ann@example.com', world.siteId(0), world.siteId(1));
  });
  after(async () => {
    await world.close();
    await server.close();
  });
  beforeEach(() => {
    server.received.length = 0;
  });

  it('when a report is created, then it is stored and mailed to the client with its file', async () => {
    await editSettings(world, 'pro-reports', { agency_name: 'North Sea Web' });
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0), recipients: [], format: 'html' });
    const report = await makeReport(world, schedule.id);
    const [start, end] = ['2026-10-01', '2026-10-31'];
    assert.deepEqual(
      [report.status, report.start_date, report.end_date, report.time_zone, report.pdf_size, report.pdf_error],
      ['made', start, end, 'UTC', null, null],
    );
    assert.deepEqual(
      [report.about, report.site_id, report.client_id, report.schedule_id, report.error],
      ['site', world.siteId(0), client, schedule.id, null],
    );
    const mail = await waitForMailState(world, report.mails[0].id, 'sent');
    const [{ name, content_type: type, size }] = mail.attachments;
    assert.deepEqual([mail.type, type, size], ['report', 'text/html', report.html_size]);
    assert.match(mail.subject, /^.+: website report for October 2026$/);
    const [received] = server.received;
    assert.deepEqual(received?.to, ['ann@example.com']);
    assert.equal(received.mail.attachments[0]?.filename, name);
    const sent = Buffer.from(received.mail.attachments[0]?.content as ArrayBuffer);
    const kept = await readFile(world, `/reports/${report.id}/file`);
    assert.deepEqual([kept.status, kept.type], [200, 'text/html']);
    assert.ok(sent.equals(kept.body as Buffer), 'what was sent is what is kept');
    assert.equal(sent.length, report.html_size);
    for (const line of report.summary) assert.ok(received.mail.text?.includes(line as string), String(line));
    assert.match(received.mail.text ?? '', /North Sea Web sent this mail\./);
    assert.match(String(kept.headers['content-security-policy']), /default-src 'none'/);
    await world.request('GET', `/api/v2/reports/${report.id}/file?format=pdf`, { expect: 409 });
  });

  it('when a report is resent, then a new mail has the same file and the given recipients', async () => {
    const schedule = await addReportSchedule(world, { client_id: client, subject: '{site} ({count}): {period}' });
    const report = await makeReport(world, schedule.id);
    await waitForMailState(world, report.mails[0].id, 'sent');
    assert.equal(server.received[0]?.mail.subject, 'Harbour Bakery (2): October 2026');
    const body = { recipients: ['tom@example.com', 'ops@example.com'] };
    const again = (await world.request('POST', `/api/v2/reports/${report.id}/send`, { body })).body.data;
    assert.deepEqual(
      again.mails.map(({ recipients }: { recipients: string[] }) => recipients),
      [body.recipients, ['ann@example.com']],
    );
    await waitForMailState(world, again.mails[0].id, 'sent');
    const files = server.received.map(({ mail }) => Buffer.from(mail.attachments[0]?.content as ArrayBuffer));
    assert.equal(files.length, 2);
    assert.ok(files[0]?.equals(files[1] ?? Buffer.alloc(0)));
    await world.request('POST', `/api/v2/reports/${report.id}/send`);
    assert.deepEqual((await readReport(world, report.id)).mails[0].recipients, ['ann@example.com']);
    const wrong = { recipients: ['nobody'] };
    await world.request('POST', `/api/v2/reports/${report.id}/send`, { body: wrong, expect: 400 });
  });

  it('when report mails are disabled, then the report is stored and cannot be sent', async () => {
    await editEmails(world, 'report', { disable: 1 });
    const schedule = await addReportSchedule(world, { client_id: client });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual([report.status, report.mails], ['made', []]);
    await world.request('POST', `/api/v2/reports/${report.id}/send`, { expect: 409 });
    assert.deepEqual(
      (await listReports(world, '&mail_status=none')).map(({ id }: { id: number }) => id),
      [report.id],
    );
    await editEmails(world, 'report', { disable: 0 });
  });

  it('when the client has no e-mail address, then the report is sent to the recipients of the settings', async () => {
    await editEmails(world, 'report', { recipients: 'ops@example.com' });
    const other = await createClientWithSites(world, 'Lost', 'lost@example.com', world.siteId(1));
    const schedule = await addReportSchedule(world, { client_id: other, recipients: [] });
    await world.request('PUT', `/api/v2/clients/${other}/edit`, { body: { client_email: '' } });
    const report = await makeReport(world, schedule.id);
    assert.deepEqual(report.mails[0].recipients, ['ops@example.com']);
    await editEmails(world, 'report', { recipients: '' });
  });

  it('when a site name has HTML and control characters, then subject, mail and file name are safe', async () => {
    const name = '<script>alert(1)</script>\u202E "x"\u0007 Bcc: evil@example.com';
    const { knex } = world.container.database;
    await knex('sites')
      .where({ id: world.siteId(0) })
      .update({ name });
    const schedule = await addReportSchedule(world, { site_id: world.siteId(0) });
    const report = await makeReport(world, schedule.id);
    await waitForMailState(world, report.mails[0].id, 'sent');
    const [received] = server.received;
    assert.doesNotMatch(headersOf(received?.raw ?? ''), /^Bcc:/im);
    assert.doesNotMatch(received?.mail.html ?? '', /<script>alert/);
    assert.doesNotMatch(received?.mail.subject ?? '', /[\p{Cc}\p{Cf}]/u);
    assert.match(received?.mail.attachments[0]?.filename ?? '', /^[a-z0-9-]+\.(pdf|html)$/);
  });

  it('when reports are filtered, sorted and paged, then the list is correct and reads no file contents', async () => {
    const ids = async (query: string) => (await listReports(world, query)).map(({ id }: { id: number }) => id);
    const all = await ids('');
    assert.deepEqual(
      all,
      all.toSorted((one: number, other: number) => other - one),
    );
    assert.deepEqual(await ids('&order=asc'), all.toReversed());
    const ofSite = await ids(`&site_id=${world.siteId(0)}`);
    assert.ok(ofSite.length >= 2 && ofSite.length < all.length);
    assert.deepEqual(await ids('&from=2026-11-01'), []);
    assert.deepEqual(await ids('&from=2026-10-31&to=2026-10-31'), all);
    assert.deepEqual(await ids('&status=failed'), []);
    assert.deepEqual(await ids('&schedule_id=4711'), []);
    assert.deepEqual(await ids('&mail_status=failed'), []);
    const { knex } = world.container.database;
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }): void => void statements.push(sql);
    knex.on('query', note);
    await listReports(world);
    knex.removeListener('query', note);
    assert.ok(!statements.some((sql) => /_parts/.test(sql)));
    const cost = (perPage: number) =>
      world.countStatements(() => world.request('GET', `/api/v2/reports?per_page=${perPage}&orderby=name`));
    await cost(1);
    assert.equal(await cost(100), await cost(1));
  });

  it('when a report is deleted, then its mails keep their attachments', async () => {
    const [{ id, mails }] = await listReports(world, '&mail_status=sent');
    const { headers } = await world.request('GET', `/api/v2/reports/${id}`);
    await world.request('DELETE', `/api/v2/reports/${id}/delete`, { headers: { 'if-match': '"other"' }, expect: 412 });
    await world.request('DELETE', `/api/v2/reports/${id}/delete`, { headers: { 'if-match': String(headers.etag) } });
    await world.request('GET', `/api/v2/reports/${id}`, { expect: 404 });
    const kept = (await listMails(world)).find((mail: { id: number }) => mail.id === mails[0].id);
    assert.equal(kept?.attachments.length, 1);
    await world.request('POST', `/api/v2/outbox/${mails[0].id}/resend`);
    await waitForMailState(world, mails[0].id, 'sent');
    assert.equal(
      await world.container.database.knex('kept_report_parts').where({ report_id: id }).first('part'),
      undefined,
    );
  });

  it('when the retention of reports is over, then they are deleted', async () => {
    await editSettings(world, 'pro-reports', { keep_reports_days: 7 });
    clock.set('2026-11-28T09:00:00Z');
    const { body } = await world.request('POST', '/api/v2/schedules/retention/run');
    await world.finishedJob(body.data.job_id as string);
    assert.notEqual((await listReports(world)).length, 0);
    clock.set('2026-11-29T09:00:01Z');
    const second = await world.request('POST', '/api/v2/schedules/retention/run');
    await world.finishedJob(second.body.data.job_id as string);
    assert.deepEqual(await listReports(world), []);
  });
});
