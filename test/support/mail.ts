import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Alert, AlertedSite } from '../../src/domains/mail/index.ts';
import type { NewMail } from '../../src/domains/mail/mail.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export interface ReceivedMail {
  to: string[];
  raw: string;
  mail: Email;
}

/** What stands before the letter itself, where wrapped lines of its text cannot look like headers. */
export const headersOf = (raw: string): string => raw.slice(0, raw.indexOf('\r\n\r\n'));

/** A real mail server: it keeps what it takes, and does what a test has set for its next answers. */
export class FakeMailServer {
  readonly received: ReceivedMail[] = [];
  /** What it answers to a recipient; null takes it. */
  refuseRecipient: (address: string) => Error | null = () => null;
  /** Runs when a whole mail came, before it is confirmed; throws what it answers instead. */
  beforeConfirming: () => Promise<void> = async () => undefined;
  /** Runs when a recipient came, before the answer. */
  beforeRecipient: () => Promise<void> = async () => undefined;
  readonly #server: SMTPServer;

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: ({ address }, _session, done) => {
        void this.beforeRecipient().then(() => done(this.refuseRecipient(address)));
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString('utf8');
          const keep = async (): Promise<void> => {
            await this.beforeConfirming();
            const mail = await PostalMime.parse(raw);
            this.received.push({ to: envelope.rcptTo.map(({ address }) => address), raw, mail });
          };
          keep().then(() => done(), done);
        });
      },
      ...options,
    });
    // A client that is killed is no fault of the server.
    this.#server.on('error', () => undefined);
  }

  async start(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server.server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Cuts every connection without a word. */
  dropConnections(): void {
    for (const { _socket: socket } of this.#server.connections as Set<{ _socket: Socket }>) socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** An answer of a mail server. */
export const smtpReply = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

const MAIL: NewMail = {
  type: 'uptime',
  recipients: ['ops@example.com'],
  subject: 'Down: Example',
  html: '<p>Example is <b>down</b>.</p>',
  text: 'Example is down.',
  links: [{ label: 'Site record', href: 'http://127.0.0.1/api/v2/sites/1' }],
};

/** Puts a mail into the outbox; its id. */
export async function writeMail(world: World, mail: Partial<NewMail> = {}): Promise<number> {
  const { database, services } = world.container;
  const { mailIds } = await inTransaction(database.knex, (scope) =>
    services.mail.outbox.add(scope, [{ ...MAIL, ...mail }], 'test'),
  );
  const [id] = mailIds;
  assert.ok(id !== undefined);
  return id;
}

// The bodies have been checked against the contract.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const readMail = async (world: World, id: number): Promise<Json> =>
  (await world.request('GET', `/api/v2/outbox/${id}`)).body.data;

export const listMails = async (world: World, query = ''): Promise<Json[]> =>
  (await world.request('GET', `/api/v2/outbox?per_page=100${query}`)).body.data;

/** Waits until a mail has come to this state, and reads it. */
export async function waitForMailState(world: World, id: number, state: string): Promise<Json> {
  await until(async () => (await readMail(world, id)).state === state, `mail ${id} to be ${state}`);
  return readMail(world, id);
}

/** A monitor of a site goes down; the name of the site is its own words. */
export const downAlert = (incidentId: string, name = 'Example', id = 1): Alert<'uptime'> & { site: AlertedSite } => ({
  type: 'uptime',
  key: `uptime:${incidentId}:down`,
  site: { id, url: `https://example-${id}.com/`, name },
  facts: {
    state: 'down',
    incidentId,
    startedAt: Date.parse('2026-11-21T10:57:22Z'),
    endedAt: null,
    cause: 'The connection was refused.',
    httpStatus: 0,
  },
});

/** The same monitor comes back, four minutes later. */
export function upAlert(incidentId: string, name = 'Example', id = 1): Alert<'uptime'> {
  const down = downAlert(incidentId, name, id);
  const facts = { ...down.facts, state: 'up' as const, endedAt: down.facts.startedAt + 250_000 };
  return { ...down, key: `uptime:${incidentId}:up`, facts };
}

export async function raiseAlerts({ container }: World, ...alerts: Alert[]): Promise<void> {
  const { database, services } = container;
  await inTransaction(database.knex, async ({ trx }) => {
    for (const alert of alerts) await services.mail.alerts.raise(trx, alert);
  });
}

/** Has the alerts told that were raised; all mails there are by then, newest first. */
export async function sendAlertMails(world: World): Promise<Json[]> {
  await world.request('POST', '/api/v2/schedules/alert-mails/run');
  return listMails(world, '&full_data=true');
}

export const editEmails = (world: World, type: string, body: object, expect = 200) =>
  world.request('PUT', `/api/v2/settings/emails/${type}/edit`, { body, expect });
