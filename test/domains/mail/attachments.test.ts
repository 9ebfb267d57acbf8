import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  headersOf,
  listMails,
  waitForMailState,
  FakeMailServer,
  readMail,
  smtpReply,
  writeMail,
} from '../../support/mail.ts';
import { ManualClock } from '../../support/schedules.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const START = '2026-11-22T08:00:00Z';

const digest = (bytes: Uint8Array | ArrayBuffer | string): string =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    .digest('hex');

describe('mail attachments', () => {
  let server: FakeMailServer;
  let world: World;
  let clock: ManualClock;
  before(async () => {
    server = await new FakeMailServer().start();
    clock = new ManualClock(START);
    world = await startWorld({ env: { SMTP_URL: server.url }, overrides: { tickMs: null, clock } });
  });
  after(async () => {
    await world.close();
    await server.close();
  });
  beforeEach(() => {
    server.received.length = 0;
    server.refuseRecipient = () => null;
  });

  it('when a mail is retried, then attachments larger than one row arrive unchanged', async () => {
    const [large, small] = [randomBytes(1_500_000), Buffer.from('%PDF-1.7 \0\xff', 'latin1')];
    server.refuseRecipient = () => smtpReply(451, 'Later');
    const id = await writeMail(world, {
      attachments: [
        { name: 'large.bin', contentType: 'application/octet-stream', bytes: large },
        { name: 'small.pdf', contentType: 'application/pdf', bytes: small },
      ],
    });
    await until(async () => (await readMail(world, id)).next_attempt_at !== null, 'the first attempt');
    server.refuseRecipient = () => null;
    clock.set('2026-11-22T08:01:00Z');
    const mail = await waitForMailState(world, id, 'sent');
    assert.equal(mail.attempts, 2);
    assert.deepEqual(mail.attachments, [
      { name: 'large.bin', content_type: 'application/octet-stream', size: 1_500_000 },
      { name: 'small.pdf', content_type: 'application/pdf', size: small.length },
    ]);
    const files = server.received[0]?.mail.attachments ?? [];
    assert.deepEqual(
      files.map(({ filename, mimeType, disposition }) => [filename, mimeType, disposition]),
      [
        ['large.bin', 'application/octet-stream', 'attachment'],
        ['small.pdf', 'application/pdf', 'attachment'],
      ],
    );
    assert.deepEqual(
      files.map(({ content }) => digest(content)),
      [digest(large), digest(small)],
    );
  });

  it('when a file name contains header lines, then no header is added', async () => {
    const name = 'a"\r\nBcc: evil@example.com\r\n\r\n<script>\u202Efdp.exe; filename=x.pdf';
    const id = await writeMail(world, {
      attachments: [{ name, contentType: 'application/pdf', bytes: Buffer.from('%PDF') }],
    });
    await waitForMailState(world, id, 'sent');
    const [received] = server.received;
    assert.equal(received?.mail.attachments.length, 1);
    assert.deepEqual(received.to, ['ops@example.com']);
    assert.equal(received.mail.bcc, undefined);
    assert.doesNotMatch(headersOf(received.raw), /^Bcc:/im);
  });

  it('when more mails with attachments are listed, then no more SQL statements are sent and no content is read', async () => {
    const file = { name: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') };
    const statements: string[] = [];
    const { knex } = world.container.database;
    const note = ({ sql }: { sql: string }): void => void statements.push(sql);
    const costOfAPage = async (): Promise<number> => {
      statements.length = 0;
      knex.on('query', note);
      await listMails(world);
      knex.removeListener('query', note);
      return statements.filter((sql) => /attachments/.test(sql)).length;
    };
    // Waits until the mail is sent, because sending also reads the attachments.
    const writeSent = async (): Promise<unknown> =>
      waitForMailState(world, await writeMail(world, { attachments: [file, file] }), 'sent');
    await writeSent();
    const few = await costOfAPage();
    for (let more = 0; more < 3; more++) await writeSent();
    assert.equal(await costOfAPage(), few);
    assert.ok(!statements.some((sql) => sql.includes('mail_attachment_parts')));
  });

  it('when a mail is deleted, then its attachments are deleted', async () => {
    const id = await writeMail(world, {
      attachments: [{ name: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.from('%PDF') }],
    });
    await waitForMailState(world, id, 'sent');
    const { knex } = world.container.database;
    await knex('mails').where({ id }).delete();
    assert.deepEqual(await knex('mail_attachments').where({ mail_id: id }), []);
    assert.deepEqual(await knex('mail_attachment_parts').where({ mail_id: id }).select('part'), []);
  });
});
