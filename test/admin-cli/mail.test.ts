import assert from 'node:assert/strict';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { FakeMailServer, smtpReply } from '../support/mail.ts';
import { createTestCli } from './support.ts';

describe('test mail of the admin CLI', () => {
  let store: TestDatabase;
  let server: FakeMailServer;

  before(async () => {
    store = await openTestDatabase();
  });
  after(() => store.close());
  afterEach(() => server?.close());

  const send = async (url: string | null, to = 'you@example.com') =>
    createTestCli(store.database, url).call(`mail test --to ${to}`);

  it('when the mail server accepts the mail, then its response is printed', async () => {
    server = await new FakeMailServer().start();
    const { code, out, err } = await send(server.url);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    assert.match(out, /accepted the test mail from mail@agency\.test to you@example\.com: 250 /);
    assert.deepEqual(
      server.received.map(({ to, mail: { subject, from, replyTo } }) => ({ to, subject, from, replyTo })),
      [
        {
          to: ['you@example.com'],
          subject: 'Test mail of Sitefleet',
          from: { name: 'Agency', address: 'mail@agency.test' },
          replyTo: [{ name: '', address: 'desk@agency.test' }],
        },
      ],
    );
  });

  const auth = { authOptional: false, disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
  const FAILURES: [string, (url: FakeMailServer) => string | null, RegExp][] = [
    ['no mail server is configured', () => null, /^No mail server is configured\. Set SMTP_URL\./],
    ['the port is closed', () => 'smtp://127.0.0.1:9', /^The connection to the mail server failed\.[^]*ECONNREFUSED/],
    ['the host name does not exist', () => 'smtp://mail.invalid:25', /^The host name of the mail server could not/],
    [
      'the server offers no encryption',
      ({ port }) => `smtp://127.0.0.1:${port}?starttls=required`,
      /^No encrypted connection to the mail server was possible\./,
    ],
    [
      'the password is wrong',
      ({ port }) => `smtp://bob:wrong-secret@127.0.0.1:${port}`,
      /^The mail server did not accept the login\.[^]*535/,
    ],
    [
      'the sender is refused',
      ({ port }) => `smtp://bob:right@127.0.0.1:${port}`,
      /^The mail server did not accept the sender\.[^]*Sender: mail@agency\.test[^]*553/,
    ],
  ];
  for (const [what, urlOf, message] of FAILURES)
    it(`when ${what}, then the command says so and exits with 1`, async () => {
      server = await new FakeMailServer({
        ...auth,
        onAuth: ({ password }, _session, done) =>
          password === 'right' ? done(null, { user: 'bob' }) : done(smtpReply(535, '5.7.8 Authentication failed')),
        onMailFrom: (_address, _session, done) => done(smtpReply(553, '5.7.1 Sender not owned by the user')),
      }).start();
      const { code, out, err } = await send(urlOf(server));
      assert.deepEqual({ code, out }, { code: 1, out: '' });
      assert.match(err, message);
      assert.ok(!err.includes('wrong-secret'));
    });

  it('when the recipient is refused, then the command prints the reason of the server', async () => {
    server = await new FakeMailServer().start();
    server.refuseRecipient = () => smtpReply(550, '5.1.1 No such user');
    const { code, err } = await send(server.url);
    assert.equal(code, 1);
    assert.match(err, /^The mail server did not accept the recipient\.\n {2}550 5\.1\.1 No such user/);
  });

  it('when the address is invalid, then the command exits with 2', async () => {
    server = await new FakeMailServer().start();
    const { code, err } = await send(server.url, 'nobody');
    assert.equal(code, 2);
    assert.match(err, /^--to must be an e-mail address\./);
  });
});
