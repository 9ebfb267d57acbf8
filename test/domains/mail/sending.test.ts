import assert from 'node:assert/strict';
import { selfSignedCertificate } from '../../../src/sandbox/certificate.ts';
import { DeliveryFailures } from '../../../src/domains/mail/delivery-failures.ts';
import { MailSender } from '../../../src/domains/mail/mail-sender.ts';
import { PostponedItem } from '../../../src/queue/index.ts';
import { createContainer, type Container } from '../../../src/service/container.ts';
import { ALL_SITES } from '../../../src/shared/site-scope.ts';
import {
  downAlert,
  editEmails,
  listMails,
  waitForMailState,
  FakeMailServer,
  raiseAlerts,
  readMail,
  smtpReply,
  writeMail,
} from '../../support/mail.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';

const START = '2026-11-22T08:00:00Z';

/** Returns the mail after this attempt, whatever its result. */
async function afterAttempt(world: World, id: number, attempts: number) {
  await until(async () => {
    const mail = await readMail(world, id);
    return mail.attempts === attempts && mail.state !== 'sending';
  }, `attempt ${attempts} to be over`);
  return readMail(world, id);
}

describe('mail delivery that fails', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  const start = async (env: Record<string, string> = {}, options: WorldOptions = {}): Promise<void> => {
    clock = new ManualClock(START);
    world = await startWorld({ env: { SMTP_URL: server.url, ...env }, overrides: { tickMs: null, clock }, ...options });
  };
  beforeEach(async () => {
    server = await new FakeMailServer().start();
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  it('when the server answers 451, then the mail is retried until it is accepted', async () => {
    await start();
    server.refuseRecipient = () => smtpReply(451, 'Later');
    const id = await writeMail(world);
    const waiting = await afterAttempt(world, id, 1);
    assert.deepEqual([waiting.state, waiting.error.code, waiting.error.smtp_status], ['queued', 'not_delivered', 451]);
    assert.equal(waiting.next_attempt_at, '2026-11-22T08:01:00Z');
    server.refuseRecipient = () => null;
    clock.set('2026-11-22T08:01:00Z');
    assert.equal((await waitForMailState(world, id, 'sent')).attempts, 2);
    assert.equal(server.received.length, 1);
  });

  it('when six attempts fail, then the mail is failed and can be resent', async () => {
    await start();
    server.refuseRecipient = () => smtpReply(451, 'Later');
    const id = await writeMail(world);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 6; attempt++) {
      const { next_attempt_at: next } = await afterAttempt(world, id, attempt);
      waits.push((Date.parse(next) - clock.time) / 60_000);
      clock.set(next);
    }
    assert.deepEqual(waits, [1, 5, 30, 120, 360]);
    const failed = await afterAttempt(world, id, 6);
    assert.deepEqual([failed.state, failed.error.code, failed.next_attempt_at], ['failed', 'not_delivered', null]);
    server.refuseRecipient = () => null;
    await world.request('POST', `/api/v2/outbox/${id}/resend`);
    assert.equal((await waitForMailState(world, id, 'sent')).attempts, 7);
  });

  it('when attempts fail, then the log and the metrics say so without addresses', async () => {
    await start();
    server.refuseRecipient = () => smtpReply(451, 'Later, <ops@example.com>');
    const id = await writeMail(world);
    await afterAttempt(world, id, 1);
    server.refuseRecipient = () => smtpReply(550, 'No mailbox ops@example.com here');
    clock.set('2026-11-22T08:01:00Z');
    await waitForMailState(world, id, 'failed');
    const lines = world.logLines.filter((line) => line.includes('a mail was not delivered'));
    const same = { level: 'warn', mail_id: id, mail_type: 'uptime' };
    const read = lines.map((line) => {
      const { time: _time, ...fields } = JSON.parse(line);
      return fields;
    });
    assert.deepEqual(read, [
      {
        ...same,
        state: 'queued',
        error: 'not_delivered',
        reason: '451 Later, <[address]>',
        smtp_status: 451,
        attempts: 1,
        refused_recipients: 0,
        msg: 'a mail was not delivered and will be sent again',
      },
      {
        ...same,
        state: 'failed',
        error: 'refused',
        reason: '550 No mailbox [address] here',
        smtp_status: 550,
        attempts: 2,
        refused_recipients: 1,
        msg: 'a mail was not delivered',
      },
    ]);
    const { text } = await world.agent().get('/metrics');
    assert.match(
      text,
      /^# TYPE sitefleet_mail_attempts_failed_total counter\nsitefleet_mail_attempts_failed_total 2$/m,
    );
    assert.match(text, /^sitefleet_mails_undelivered_total 1$/m);
  });

  it('when there is no mail server, then the log and the metrics name the mail that is kept', async () => {
    await start({ SMTP_URL: '' });
    const id = await writeMail(world);
    const lines = world.logLines.filter((line) => line.includes('a mail was not delivered'));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ mail_id: mail, state, error }) => ({ mail, state, error })),
      [{ mail: id, state: 'kept', error: 'no_mail_server' }],
    );
    const { text } = await world.agent().get('/metrics');
    assert.match(text, /^sitefleet_mail_attempts_failed_total 0$/m);
    assert.match(text, /^sitefleet_mails_undelivered_total 1$/m);
  });

  it('when one of two recipients is deferred, then the other gets the mail once', async () => {
    await start();
    server.refuseRecipient = (address) => (address.startsWith('two') ? smtpReply(451, 'Later') : null);
    const id = await writeMail(world, { recipients: ['one@example.com', 'two@example.com'] });
    const half = await afterAttempt(world, id, 1);
    assert.deepEqual(
      [half.state, half.recipients[0].state, half.recipients[1].state],
      ['queued', 'accepted', 'pending'],
    );
    server.refuseRecipient = () => null;
    clock.set(half.next_attempt_at);
    await waitForMailState(world, id, 'sent');
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['one@example.com'], ['two@example.com']],
    );
  });

  /** Stores a mail whose second recipient is deferred at the first attempt. Ends before the second attempt. */
  async function sendToOneOfTwo(): Promise<number> {
    server.refuseRecipient = (address) => (address.startsWith('two') ? smtpReply(451, 'Later') : null);
    const id = await writeMail(world, { recipients: ['one@example.com', 'two@example.com'] });
    clock.set((await afterAttempt(world, id, 1)).next_attempt_at);
    return id;
  }

  it('when a recipient has the mail and the other one is refused later, then the mail counts as sent', async () => {
    await start();
    const id = await sendToOneOfTwo();
    server.refuseRecipient = () => smtpReply(550, 'No such user');
    const mail = await afterAttempt(world, id, 2);
    assert.deepEqual([mail.state, mail.error, mail.sent_at], ['sent', null, START]);
    assert.deepEqual([mail.recipients[0].state, mail.recipients[1].state], ['accepted', 'refused']);
    const { items } = await world.finishedJob(mail.job_id);
    assert.deepEqual([items[0].state, items[0].error.code], ['partial', 'svc_mail_not_sent']);
    assert.match((await world.agent().get('/metrics')).text, /^sitefleet_mails_undelivered_total 0$/m);
    server.refuseRecipient = () => null;
    const { body } = await world.request('POST', `/api/v2/jobs/${mail.job_id}/retry-failed`);
    await world.finishedJob(body.data.job_id);
    assert.deepEqual(
      server.received.map(({ to }) => to),
      [['one@example.com'], ['two@example.com']],
    );
    assert.equal((await readMail(world, id)).recipients[1].state, 'accepted');
  });

  it('when a recipient has the mail and the next attempt breaks off, then the outcome is unknown', async () => {
    await start();
    const id = await sendToOneOfTwo();
    server.refuseRecipient = () => null;
    server.beforeConfirming = async () => server.dropConnections();
    const mail = await afterAttempt(world, id, 2);
    assert.deepEqual([mail.state, mail.error.code, mail.sent_at], ['failed', 'outcome_unknown', START]);
    const { items } = await world.finishedJob(mail.job_id);
    assert.equal(items[0].error.code, 'svc_outcome_unknown');
    const last = JSON.parse(world.logLines.findLast((line) => line.includes('a mail was not delivered')) ?? '{}');
    assert.deepEqual([last.state, last.error], ['failed', 'outcome_unknown']);
  });

  it('when a recipient has the mail and its job is cancelled, then the mail counts as sent', async () => {
    await start();
    const id = await sendToOneOfTwo();
    clock.set(START);
    await world.request('DELETE', `/api/v2/jobs/${(await readMail(world, id)).job_id}`);
    await world.request('POST', '/api/v2/schedules/alert-mails/run');
    const mail = await readMail(world, id);
    assert.deepEqual([mail.state, mail.error], ['sent', null]);
  });

  it('when the mail cannot be read, then it has failed with internal_error and can be resent', async () => {
    await start();
    server.refuseRecipient = () => smtpReply(451, 'Later');
    const id = await writeMail(world, { html: '<p>%code%</p>', secretTexts: { '%code%': 'secret' } });
    const { next_attempt_at: next } = await afterAttempt(world, id, 1);
    const { knex } = world.container.database;
    const [{ sealed_texts: sealed }] = await knex('mails').where({ id }).select('sealed_texts');
    await knex('mails').where({ id }).update({ sealed_texts: 'damaged' });
    clock.set(next);
    const mail = await waitForMailState(world, id, 'failed');
    assert.equal(mail.error.code, 'internal_error');
    const { items } = await world.finishedJob(mail.job_id);
    assert.equal(items[0].error.code, 'svc_internal_error');
    await knex('mails').where({ id }).update({ sealed_texts: sealed });
    server.refuseRecipient = () => null;
    await world.request('POST', `/api/v2/outbox/${id}/resend`);
    await waitForMailState(world, id, 'sent');
    assert.match(server.received[0]?.mail.html ?? '', /secret/);
  });

  it('when the mail is larger than the server accepts, then it has failed at once', async () => {
    await server.close();
    server = await new FakeMailServer({ size: 1_000 }).start();
    await start();
    const mail = await afterAttempt(world, await writeMail(world, { text: 'x'.repeat(2_000) }), 1);
    assert.deepEqual([mail.state, mail.error.code], ['failed', 'refused']);
    assert.match(mail.error.message, /size/);
  });

  it('when the process stops before the server answers, then this is no failed attempt', async () => {
    await start();
    const { knex, smtp, config, sealing, logger, queue } = world.container;
    await queue.stop(0);
    const id = await writeMail(world);
    await knex('mails').where({ id }).update({ job_id: 'test' });
    const failures = new DeliveryFailures(logger);
    const scopeOfOwner = async () => ALL_SITES;
    const sender = new MailSender({
      knex,
      clock,
      sealing,
      server: smtp,
      from: config.mailFrom,
      scopeOfOwner,
      failures,
    });
    const send = (signal: AbortSignal) => sender.send({ mailId: id, jobId: 'test', owner: null, signal });
    const warnings = world.logLines.length;
    assert.ok((await send(AbortSignal.abort())) instanceof PostponedItem);
    const [stored] = await knex('mails').where({ id });
    assert.deepEqual([stored.state, stored.tries, stored.error_code], ['queued', 0, null]);
    assert.equal(world.logLines.length, warnings);
    await send(new AbortController().signal);
    assert.equal((await readMail(world, id)).state, 'sent');
  });

  it('when an attempt is interrupted before the content is sent, then it is not one of the six', async () => {
    await start();
    let goOn = (): void => undefined;
    server.beforeRecipient = () => new Promise((go) => (goOn = go));
    const id = await writeMail(world);
    await until(async () => (await readMail(world, id)).state === 'sending', 'the attempt to begin');
    const { knex } = world.container.database;
    assert.deepEqual(await knex('mails').where({ id }).pluck('tries'), [0]);
    await until(async () => (goOn(), (await readMail(world, id)).state === 'sent'), 'the mail to be sent');
    assert.deepEqual(await knex('mails').where({ id }).pluck('tries'), [1]);
  });

  it('when no server is listening, then the mail stays queued with an error', async () => {
    await start();
    await server.close();
    const mail = await afterAttempt(world, await writeMail(world), 1);
    assert.deepEqual([mail.state, mail.error.code, mail.error.smtp_status], ['queued', 'not_delivered', null]);
    server = await new FakeMailServer().start();
  });

  it('when the connection ends after the whole mail was sent, then the outcome is unknown and the mail is not resent', async () => {
    await start();
    const id = await writeMail(world);
    const mail = await (async () => {
      server.beforeConfirming = async () => server.dropConnections();
      return waitForMailState(world, id, 'failed');
    })();
    assert.equal(mail.error.code, 'outcome_unknown');
    const { items } = await world.finishedJob(mail.job_id);
    assert.equal(items[0].error.code, 'svc_outcome_unknown');
  });

  it('when the server requires TLS and a password, then both are used and the password is not logged', async () => {
    const { privateKey, certificate } = selfSignedCertificate(['127.0.0.1']);
    await server.close();
    server = await new FakeMailServer({
      key: privateKey,
      cert: certificate,
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, done) =>
        username === 'fleet@example.com' && password === 'open/sesame'
          ? done(null, { user: username })
          : done(smtpReply(535, 'Wrong password')),
    }).start();
    const url = (password: string, options: string): string =>
      `smtp://fleet%40example.com:${password}@127.0.0.1:${server.port}?${options}`;
    await start({ SMTP_URL: url('open%2Fsesame', 'starttls=required&verify=no') });
    await waitForMailState(world, await writeMail(world), 'sent');
    assert.equal(server.received[0]?.mail.from?.address, 'fleet@example.com');
    assert.doesNotMatch(world.logLines.join(''), /sesame/);
    await world.close();

    await start({ SMTP_URL: url('wrong', 'verify=no') });
    const refused = await afterAttempt(world, await writeMail(world), 1);
    assert.deepEqual([refused.state, refused.error.smtp_status], ['queued', 535]);
    await world.close();

    await start({ SMTP_URL: url('open%2Fsesame', 'starttls=required') });
    const untrusted = await afterAttempt(world, await writeMail(world), 1);
    assert.deepEqual([untrusted.state, untrusted.error.smtp_status], ['queued', null]);
  });
});

describe('two services on one database', () => {
  it('when both services look for alerts at the same time, then each alert is mailed once', async () => {
    const server = await new FakeMailServer().start();
    const clock = new ManualClock(START);
    const world = await startWorld({ env: { SMTP_URL: server.url }, overrides: { tickMs: null, clock } });
    const { config, database, logger } = world.container;
    // The settings change before the other service starts, because a running service reads changes with a delay.
    await editEmails(world, 'uptime', { recipients: 'ops@example.com', subject: '{site}' });
    const other: Container = await createContainer(config, { database, clock, tickMs: null, logger });
    await other.start();
    try {
      const tick = () => Promise.all([world.container, other].map(({ services }) => services.schedules.runner.tick()));
      await tick();
      for (let minute = 1; minute <= 10; minute++) {
        for (let at = 0; at < 4; at++) await raiseAlerts(world, downAlert(`${minute}-${at}`, `Site ${minute}-${at}.`));
        clock.time += 60_000;
        await tick();
      }
      await until(
        async () => {
          // The clock passes the leases of waiting mails, so that one service takes over from the other. It moves so
          // slowly that a mail is sent within its lease.
          clock.time += 500;
          return (await listMails(world, '&state=sent')).length === 10;
        },
        'all mails to be sent',
        160_000,
      );
      const texts = server.received.map(({ mail }) => mail.text ?? '').join('\n');
      const sites = texts.match(/Site \d+-\d\./g) ?? [];
      assert.deepEqual([server.received.length, sites.length, new Set(sites).size], [10, 40, 40]);
    } finally {
      await other.close();
      await world.close();
      await server.close();
    }
  });
});
