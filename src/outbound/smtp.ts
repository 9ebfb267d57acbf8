import { Readable } from 'node:stream';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { SECOND } from '../shared/clock.ts';
import type { SmtpTarget } from '../shared/smtp-target.ts';
import { cut } from '../shared/text.ts';

/** A mail as it is written. */
export interface SmtpMessage {
  from: string;
  /** Whom its head names. */
  to: readonly string[];
  /** Whom this handover is for; those of the head who have it already are left out. */
  recipients: readonly string[];
  subject: string;
  text: string;
  html: string;
  attachments: readonly { name: string; contentType: string; bytes: Uint8Array }[];
  messageId: string;
  date: Date;
}

/** What a server says when it does not take a mail, or does not answer at all. */
interface SmtpReply {
  /** Of its answer; null without one. */
  status: number | null;
  message: string;
  /** Another attempt would meet the same answer. */
  permanent: boolean;
}

/** A recipient whom the server does not take. */
export interface SmtpRefusal extends SmtpReply {
  address: string;
}

/** What came of a handover. */
export type SmtpOutcome =
  | { state: 'accepted'; message: string; refused: SmtpRefusal[] }
  /** The server has not taken it, for nobody. */
  | ({ state: 'refused'; refused: SmtpRefusal[] } & SmtpReply)
  /** It broke off after the last byte: whether the server has taken it cannot be told. */
  | { state: 'unknown'; message: string };

export interface SmtpHandover {
  /** Runs when the server has taken the envelope and waits for the content, none of which was sent by then. */
  beforeContent: () => Promise<void>;
  signal?: AbortSignal;
}

const LONGEST_REPLY = 300;

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  permanent?: boolean;
  response?: string;
  rejectedErrors?: readonly SmtpError[];
  recipient?: string;
}

/**
 * Hands mails to the mail server of the operator. Its address is the operator's own, from the environment: it may lie
 * in a private network, so the guard that keeps sites from naming such addresses is not asked.
 */
export class Smtp {
  readonly #target: SmtpTarget;

  constructor(target: SmtpTarget) {
    this.#target = target;
  }

  async handOver(message: SmtpMessage, { beforeContent, signal }: SmtpHandover): Promise<SmtpOutcome> {
    // Loaded with the first mail: many a service sends none, and every start would wait for it.
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
    const raw = await new MailComposer({
      from: message.from,
      to: [...message.to],
      subject: message.subject,
      text: message.text,
      html: message.html,
      attachments: message.attachments.map(({ name, contentType, bytes }) => ({
        filename: name,
        contentType,
        content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        contentDisposition: 'attachment',
      })),
      messageId: message.messageId,
      date: message.date,
      // Nobody's holiday notice is to answer a machine.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
      .compile()
      .build();
    const content = new Content(raw, beforeContent);
    const connection = await this.#connection();
    const end = (): void => connection.close();
    signal?.addEventListener('abort', end);
    try {
      await this.#open(connection);
      const envelope = { from: addressIn(message.from), to: [...message.recipients], size: raw.length };
      return await deliver(connection, envelope, content);
    } catch (error) {
      return outcomeOf(error as SmtpError, content.sent);
    } finally {
      signal?.removeEventListener('abort', end);
      connection.close();
    }
  }

  async #connection(): Promise<SmtpConnection> {
    const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
    const { host, port, secure, requireTls, verify } = this.#target;
    return new SmtpConnection({
      host,
      port,
      secure,
      requireTLS: requireTls,
      tls: { rejectUnauthorized: verify },
      connectionTimeout: 20 * SECOND,
      greetingTimeout: 30 * SECOND,
      socketTimeout: 120 * SECOND,
      socketCloseTimeout: SECOND,
    });
  }

  /** Connects and logs in. */
  #open(connection: SmtpConnection): Promise<void> {
    const { login } = this.#target;
    return new Promise((resolve, reject) => {
      // What breaks while no command is under way is told by this event alone.
      connection.on('error', reject);
      connection.once('end', () => reject(new Error('The mail server closed the connection.')));
      connection.connect((error) => {
        if (error) return reject(error);
        if (!login) return resolve();
        const { user, password } = login;
        connection.login({ user, credentials: { user, pass: password } }, (refusal) =>
          refusal ? reject(refusal) : resolve(),
        );
      });
    });
  }
}

function deliver(
  connection: SmtpConnection,
  envelope: { from: string; to: string[]; size: number },
  content: Content,
): Promise<SmtpOutcome> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The mail server closed the connection.')));
    connection.send(envelope, content, (error, info) => {
      if (error) return reject(error);
      const refusals = refusalsIn((info as { rejectedErrors?: readonly SmtpError[] }).rejectedErrors);
      resolve({ state: 'accepted', message: plain((info as { response: string }).response), refused: refusals });
    });
  });
}

function outcomeOf(error: SmtpError, wasSent: boolean): SmtpOutcome {
  const { responseCode, rejectedErrors } = error;
  if (responseCode === undefined && wasSent)
    return { state: 'unknown', message: 'The connection broke off before the mail server confirmed the mail.' };
  return { state: 'refused', ...replyIn(error), refused: refusalsIn(rejectedErrors) };
}

const refusalsIn = (errors: readonly SmtpError[] = []): SmtpRefusal[] =>
  errors.map((error) => ({ address: error.recipient ?? '', ...replyIn(error) }));

const replyIn = ({ code, responseCode, response, message, permanent = false }: SmtpError): SmtpReply => ({
  status: responseCode ?? null,
  message: plain(response ?? message),
  // A wrong password is mended by the operator, and no fault of the mail.
  permanent: permanent && code !== 'EAUTH',
});

/** What a server says, as one line for a person. */
const plain = (text: string): string => cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), LONGEST_REPLY);

/** The address of `Name <address>`, or of an address alone. */
const addressIn = (from: string): string => /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/**
 * The content of a mail, which is asked for when the server waits for it, and knows whether all of it was handed out.
 */
class Content extends Readable {
  readonly #raw: Buffer;
  readonly #begin: () => Promise<void>;
  /** From now on the server may have the whole mail. */
  sent = false;
  #begun = false;

  constructor(raw: Buffer, begin: () => Promise<void>) {
    super();
    this.#raw = raw;
    this.#begin = begin;
  }

  override _read(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#begin().then(
      () => {
        this.sent = true;
        this.push(this.#raw);
        this.push(null);
      },
      (error: unknown) => this.destroy(error as Error),
    );
  }
}
