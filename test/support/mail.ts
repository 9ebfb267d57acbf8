import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Alert, AlertedSite } from '../../src/domains/mail/index.ts';
import type { RenderedMail } from '../../src/domains/mail/mail.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { until } from './until.ts';
import type { World } from './world.ts';
import { unlimitedRequester } from '../../src/shared/requester.ts';

export interface ReceivedMail {
  to: string[];
  raw: string;
  mail: Email;
}

/** Returns the part before the text of the mail, whose wrapped lines could look like headers. */
export const headersOf = (raw: string): string => raw.slice(0, raw.indexOf('\r\n\r\n'));

/** A real mail server. It stores mails, and a test can set its next responses. */
export class FakeMailServer {
  readonly received: ReceivedMail[] = [];
  /** Returns the response to a recipient. Null accepts it. */
  refuseRecipient: (address: string) => Error | null = () => null;
  /** Runs after a whole mail has arrived, before the response. A thrown error is the response. */
  beforeConfirming: () => Promise<void> = async () => undefined;
  /** Runs after a recipient has arrived, before the response. */
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
    // A killed client is not an error of the server.
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

  /** Closes every connection without a response. */
  dropConnections(): void {
    for (const { _socket: socket } of this.#server.connections as Set<{ _socket: Socket }>) socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** Returns an error response of a mail server. */
export const smtpReply = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

const MAIL: RenderedMail = {
  type: 'uptime',
  recipients: ['ops@example.com'],
  subject: 'Down: Example',
  html: '<p>Example is <b>down</b>.</p>',
  text: 'Example is down.',
  links: [{ label: 'Site record', href: 'http://127.0.0.1/api/v2/sites/1' }],
};

/** Stores a mail in the outbox. Returns its ID. */
export async function writeMail(world: World, mail: Partial<RenderedMail> = {}): Promise<number> {
  const { database, services } = world.container;
  const { mailIds } = await inTransaction(database.knex, (scope) =>
    services.mail.outbox.add(scope, [{ ...MAIL, ...mail }], unlimitedRequester('test')),
  );
  const [id] = mailIds;
  assert.ok(id !== undefined);
  return id;
}

// The contract check has already seen the bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const readMail = async (world: World, id: number): Promise<Json> =>
  (await world.request('GET', `/api/v2/outbox/${id}`)).body.data;

export const listMails = async (world: World, query = ''): Promise<Json[]> =>
  (await world.request('GET', `/api/v2/outbox?per_page=100${query}`)).body.data;

/** Waits until a mail has this state. Returns the mail. */
export async function waitForMailState(world: World, id: number, state: string): Promise<Json> {
  await until(async () => (await readMail(world, id)).state === state, `mail ${id} to be ${state}`);
  return readMail(world, id);
}

/** Alert: a monitor of a site goes down. The name of the site is user input. */
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

/** Alert: the same monitor is up again after four minutes. */
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

/** Sends the raised alerts. Returns all mails, newest first. */
export async function sendAlertMails(world: World): Promise<Json[]> {
  await world.request('POST', '/api/v2/schedules/alert-mails/run');
  return listMails(world, '&full_data=true');
}

export const editEmails = (world: World, type: string, body: object, expect = 200) =>
  world.request('PUT', `/api/v2/settings/emails/${type}/edit`, { body, expect });
