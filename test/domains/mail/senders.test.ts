import assert from 'node:assert/strict';
import { readConfig } from '../../../src/platform/config.ts';
import { createClient } from '../../support/clients.ts';
import { headersOf, readMail, waitForMailState, writeMail, FakeMailServer } from '../../support/mail.ts';
import { refusedFields } from '../../support/refusals.ts';
import { addReportSchedule, createClientWithSites, makeReport, readReport } from '../../support/report-schedules.ts';
import { ManualClock } from '../../support/schedules.ts';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('sender of mails', () => {
  let server: FakeMailServer;
  let world: World;
  let client: number;
  before(async () => {
    server = await new FakeMailServer().start();
    const clock = new ManualClock('2026-11-22T09:00:00Z');
    const env = { SMTP_URL: server.url, SMTP_FROM: 'Agency <mail@agency.test>' };
    world = await startWorld({ sites: 1, env, overrides: { tickMs: null, clock } });
    client = await createClientWithSites(world, 'Corner Bakery', 'ann@example.com', world.siteId(0));
  });
  after(async () => {
    await world.close();
    await server.close();
  });
  beforeEach(() => {
    server.received.length = 0;
  });

  /** Sends the mail. Returns the headers that name the sender. */
  const sendersOf = async (mailId: number) => {
    await waitForMailState(world, mailId, 'sent');
    const { from, replyTo } = server.received.at(-1)?.mail ?? {};
    return { from, replyTo: replyTo?.map(({ address }) => address) ?? null };
  };
  const reportMail = async (): Promise<number> => {
    const schedule = await addReportSchedule(world, { client_id: client });
    return (await makeReport(world, schedule.id)).mails[0].id;
  };
  const editClient = (body: object) => world.request('PUT', `/api/v2/clients/${client}/edit`, { body });
  const address = 'mail@agency.test';

  it('when nothing is set, then mails come from the name and address in SMTP_FROM', async () => {
    assert.deepEqual(await sendersOf(await writeMail(world)), { from: { name: 'Agency', address }, replyTo: null });
  });

  it('when the settings have a name and an address for replies, then mails have both', async () => {
    await editSettings(world, 'general', { mail_from_name: 'North Sea Web', mail_reply_to: 'desk@agency.test' });
    const expected = { from: { name: 'North Sea Web', address }, replyTo: ['desk@agency.test'] };
    assert.deepEqual(await sendersOf(await writeMail(world)), expected);
    assert.deepEqual(await sendersOf(await reportMail()), expected);
  });

  it('when a client has a name and an address for replies, then its mails have these, and others do not', async () => {
    await editClient({ mail_from_name: 'Anna of North Sea Web', mail_reply_to: 'anna@agency.test' });
    const id = await reportMail();
    const expected = { from: { name: 'Anna of North Sea Web', address }, replyTo: ['anna@agency.test'] };
    assert.deepEqual(await sendersOf(id), expected);
    const { from_name: fromName, reply_to: replyTo } = (await world.request('GET', `/api/v2/outbox/${id}`)).body.data;
    assert.deepEqual([fromName, replyTo], ['Anna of North Sea Web', 'anna@agency.test']);
    assert.equal((await sendersOf(await writeMail(world))).from?.name, 'North Sea Web');
    await editClient({ mail_from_name: null, mail_reply_to: '' });
    assert.deepEqual(await sendersOf(await reportMail()), {
      from: { name: 'North Sea Web', address },
      replyTo: ['desk@agency.test'],
    });
  });

  for (const name of ['Bäckerei "Süd", GmbH', 'Web <evil@example.com>, Bcc: all@example.com'])
    it(`when the name is ${name}, then it arrives unchanged with the address of SMTP_FROM`, async () => {
      await editSettings(world, 'general', { mail_from_name: name });
      assert.deepEqual((await sendersOf(await writeMail(world))).from, { name, address });
      assert.doesNotMatch(headersOf(server.received.at(-1)?.raw ?? ''), /^bcc:/im);
    });

  for (const end of ['\r\nBcc: all@example.com', '\n', '\r', '\u0000', '\u0085', '\u2028'])
    it(`when a value contains ${JSON.stringify(end)}, then the error names the field`, async () => {
      const [name, reply] = [`Web${end}`, `desk@agency.test${end}`];
      for (const path of ['/api/v2/settings/general/edit', `/api/v2/clients/${client}/edit`]) {
        assert.deepEqual(await refusedFields(world, 'PUT', path, { mail_from_name: name }), ['body.mail_from_name']);
        assert.deepEqual(await refusedFields(world, 'PUT', path, { mail_reply_to: reply }), ['body.mail_reply_to']);
      }
      const { clients } = world.container.services.clients;
      const input = { name: 'Other', mailFromName: name, mailReplyTo: reply };
      await assert.rejects(clients.create(input, 'test'), (error: { data: { errors: { path: string }[] } }) => {
        const paths = error.data.errors.map(({ path }) => path);
        return paths.includes('mailFromName') && paths.includes('mailReplyTo');
      });
    });

  it('when the address for replies is invalid, then the error names the field', async () => {
    for (const path of ['/api/v2/settings/general/edit', `/api/v2/clients/${client}/edit`])
      assert.deepEqual(await refusedFields(world, 'PUT', path, { mail_reply_to: 'nobody' }), ['body.mail_reply_to']);
  });

  it('when a subject contains a line break, then the mail has no further header', async () => {
    const subject = '{site}\r\nBcc: all@example.com';
    const other = await createClient(world, 'Other\r\nBcc: all@example.com', { client_email: 'tom@example.com' });
    await world.request('PUT', `/api/v2/sites/${world.siteId(0)}/edit`, { body: { client_id: other } });
    const schedule = await addReportSchedule(world, { client_id: other, subject });
    await sendersOf((await makeReport(world, schedule.id)).mails[0].id);
    const [received] = server.received;
    assert.doesNotMatch(headersOf(received?.raw ?? ''), /^bcc:/im);
    assert.deepEqual(received?.to, ['ann@example.com']);
    await world.request('PUT', `/api/v2/sites/${world.siteId(0)}/edit`, { body: { client_id: client } });
  });

  const PERIODS: [object, string][] = [
    [{ start_date: '2026-10-01', end_date: '2026-10-31' }, 'October 2026'],
    [{ start_date: '2026-10-01', end_date: '2026-10-30' }, 'October 1 – 30, 2026'],
    [{ start_date: '2026-09-01', end_date: '2026-10-31' }, 'September 1 – October 31, 2026'],
  ];
  for (const [days, period] of PERIODS)
    it(`when a report is about ${JSON.stringify(days)}, then the subject names ${period}`, async () => {
      const schedule = await addReportSchedule(world, { client_id: client, frequency: 'weekly' });
      const run = await world.request('POST', `/api/v2/report-schedules/${schedule.id}/run`, { body: days });
      await world.finishedJob(run.body.data.job_id as string);
      const { mails } = await readReport(world, run.body.data.id as number);
      assert.equal((await readMail(world, mails[0].id)).subject, `Corner Bakery: website report for ${period}`);
    });
});

describe('SMTP_FROM', () => {
  const from = (text: string) => readConfig({ SMTP_FROM: text }).mailFrom;
  const VALID: [string, { name: string; address: string }][] = [
    ['mail@example.com', { name: '', address: 'mail@example.com' }],
    ['<mail@example.com>', { name: '', address: 'mail@example.com' }],
    ['Agency <mail@Example.com>', { name: 'Agency', address: 'mail@example.com' }],
    ['"Web, Ltd." <mail@example.com>', { name: 'Web, Ltd.', address: 'mail@example.com' }],
    ['Bäckerei Süd <mail@example.com>', { name: 'Bäckerei Süd', address: 'mail@example.com' }],
  ];
  for (const [text, mailbox] of VALID)
    it(`when it is ${text}, then name and address are read`, () => {
      assert.deepEqual(from(text), mailbox);
    });

  const INVALID = [
    'Agency',
    'Agency <mail>',
    'a@example.com, b@example.com',
    'Staff: a@example.com, b@example.com;',
    'Agency <mail@example.com>\r\nBcc: all@example.com',
    `${'x'.repeat(121)} <mail@example.com>`,
  ];
  for (const text of INVALID)
    it(`when it is ${JSON.stringify(text)}, then the service does not start`, () => {
      assert.throws(() => from(text), /^ConfigError: SMTP_FROM must be an e-mail address, or a name and an address/);
    });
});
