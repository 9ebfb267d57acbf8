import assert from 'node:assert/strict';
import { listMails, waitForMailState, FakeMailServer, readMail, smtpReply, writeMail } from '../../support/mail.ts';
import { startWorld, type World } from '../../support/world.ts';

describe('the outbox', () => {
  let server: FakeMailServer;
  let world: World;
  before(async () => {
    server = await new FakeMailServer().start();
    world = await startWorld({ env: { SMTP_URL: server.url } });
  });
  after(async () => {
    await world.close();
    await server.close();
  });

  it('when a mail is written, then it is delivered and its state is sent', async () => {
    const id = await writeMail(world, { recipients: ['one@example.com', 'two@example.com'] });
    const shown = await waitForMailState(world, id, 'sent');
    assert.equal(shown.attempts, 1);
    assert.equal(shown.error, null);
    assert.deepEqual(
      shown.recipients.map(({ address, state }: { address: string; state: string }) => [address, state]),
      [
        ['one@example.com', 'accepted'],
        ['two@example.com', 'accepted'],
      ],
    );
    assert.equal(shown.html, '<p>Example is <b>down</b>.</p>');
    const [received] = server.received;
    assert.deepEqual(received?.to, ['one@example.com', 'two@example.com']);
    assert.equal(received.mail.messageId, shown.message_id);
    assert.equal(received.mail.from?.address, 'sitefleet@localhost');
    assert.equal(received.mail.text?.trim(), 'Example is down.');
    assert.match(received.mail.html ?? '', /<b>down<\/b>/);
    const job = await world.finishedJob(shown.job_id);
    assert.deepEqual([job.data.type, job.data.status], ['send-mail', 'completed']);
    assert.deepEqual(job.items[0].result, { mail: { id, state: 'sent' } });
  });

  it("when the server rejects a mail permanently, then the mail is failed with the server's message", async () => {
    server.refuseRecipient = () => smtpReply(550, 'No such user');
    const id = await writeMail(world);
    const shown = await waitForMailState(world, id, 'failed');
    server.refuseRecipient = () => null;
    assert.deepEqual(shown.error, { code: 'refused', message: '550 No such user', smtp_status: 550 });
    assert.equal(shown.recipients[0].state, 'refused');
    const job = await world.finishedJob(shown.job_id);
    assert.equal(job.data.status, 'failed');
    assert.equal(job.items[0].error.code, 'svc_mail_not_sent');
  });

  it('when a mail is resent, then only recipients without it get it', async () => {
    server.refuseRecipient = (address) => (address.startsWith('two') ? smtpReply(550, 'No such user') : null);
    const id = await writeMail(world, { recipients: ['one@example.com', 'two@example.com'] });
    const half = await waitForMailState(world, id, 'sent');
    assert.deepEqual(
      half.recipients.map(({ state }: { state: string }) => state),
      ['accepted', 'refused'],
    );
    server.refuseRecipient = () => null;
    server.received.length = 0;
    const { body } = await world.request('POST', `/api/v2/outbox/${id}/resend`);
    assert.equal(body.data.state, 'queued');
    const whole = await waitForMailState(world, id, 'sent');
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['two@example.com']],
    );
    assert.equal(whole.recipients[1].state, 'accepted');
  });

  it('when mails are listed, then the newest come first, and filters combine', async () => {
    const id = await writeMail(world, { type: 'site_health', recipients: ['Health@example.com'] });
    await waitForMailState(world, id, 'sent');
    const all = await listMails(world);
    assert.equal(all[0].id, id);
    assert.equal('html' in all[0], false);
    const find = async (query: string): Promise<number[]> => (await listMails(world, query)).map((mail) => mail.id);
    assert.deepEqual(await find('&type=site_health&state=sent'), [id]);
    assert.deepEqual(await find('&type=site_health&state=failed'), []);
    assert.deepEqual(await find(`&since=2100-01-01T00:00:00Z`), []);
    assert.equal((await find(`&since=2020-01-01T00:00:00%2B02:00`)).length, all.length);
    assert.deepEqual(await find('&recipient=Health@EXAMPLE.com'), [id]);
    const { body } = await world.request('GET', '/api/v2/outbox?per_page=1&full_data=true');
    assert.equal(body.data[0].text, 'Example is down.');
    assert.equal(body.pages, all.length);
    await world.request('GET', '/api/v2/outbox?since=yesterday', { expect: 400 });
    await world.request('GET', '/api/v2/outbox?state=gone', { expect: 400 });
  });

  it('when a mail is unknown or queued, then it cannot be resent', async () => {
    await world.request('GET', '/api/v2/outbox/999999', { expect: 404 });
    await world.request('POST', '/api/v2/outbox/999999/resend', { expect: 404 });
    server.refuseRecipient = () => smtpReply(451, 'Greylisted');
    const id = await writeMail(world);
    const waiting = await waitForMailState(world, id, 'queued').then(async () => {
      for (;;) {
        const mail = await readMail(world, id);
        if (mail.next_attempt_at !== null) return mail;
      }
    });
    server.refuseRecipient = () => null;
    assert.deepEqual(waiting.error, { code: 'not_delivered', message: '451 Greylisted', smtp_status: 451 });
    const { body } = await world.request('POST', `/api/v2/outbox/${id}/resend`, { expect: 409 });
    assert.equal(body.code, 'svc_mail_under_way');
  });

  it('when the caller may only read, then mails are readable but cannot be resent', async () => {
    await world.request('GET', '/api/v2/outbox', { as: 'viewer' });
    await world.request('POST', '/api/v2/outbox/1/resend', { as: 'viewer', expect: 403 });
  });
});

describe('the outbox without a mail server', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('when no mail server is set, then the mail is kept with the error no_mail_server', async () => {
    const id = await writeMail(world);
    const shown = await readMail(world, id);
    assert.deepEqual([shown.state, shown.error.code, shown.job_id], ['kept', 'no_mail_server', null]);
    const { body } = await world.request('POST', `/api/v2/outbox/${id}/resend`, { expect: 409 });
    assert.equal(body.code, 'svc_mail_not_sendable');
  });

  it('when a mail has no recipients, then it is kept with the error no_recipients', async () => {
    const shown = await readMail(world, await writeMail(world, { recipients: [] }));
    assert.deepEqual([shown.state, shown.error.code], ['kept', 'no_recipients']);
  });

  it('when there are more mails, then the list needs no more SQL statements', async () => {
    const statements = () => world.countStatements(() => world.request('GET', '/api/v2/outbox?per_page=50'));
    const before = await statements();
    for (let count = 0; count < 5; count++) await writeMail(world);
    assert.equal(await statements(), before);
  });
});
