import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { SECOND } from '../shared/clock.ts';
import type { SmtpTarget } from '../shared/smtp-target.ts';
import { truncate } from '../shared/text.ts';

export interface SmtpMessage {
  from: { name: string; address: string };
  replyTo: string | null;
  to: readonly string[];
  /** Recipients of this delivery. Those in `to` who already have the mail are left out. */
  recipients: readonly string[];
  subject: string;
  text: string;
  /** Images of data URLs are attached, because mail programs do not show data URLs. */
  html: string;
  attachments: readonly { name: string; contentType: string; bytes: Uint8Array }[];
  messageId: string;
  date: Date;
}

interface SmtpReply {
  status: number | null;
  message: string;
  permanent: boolean;
}

/** `address` is the lookup of the host name of the mail server. */
export type SmtpStep = 'address' | 'connection' | 'tls' | 'login' | 'sender' | 'recipients' | 'content';

export interface RefusedRecipient extends SmtpReply {
  address: string;
}

export type SmtpOutcome =
  | { state: 'accepted'; message: string; refused: RefusedRecipient[] }
  | ({ state: 'refused'; step: SmtpStep; refused: RefusedRecipient[] } & SmtpReply)
  /** The connection failed while or after the content was sent, so the server may or may not have accepted the mail. */
  | { state: 'unknown'; message: string };

export interface SmtpSendOptions {
  /** Runs when the server has accepted the sender and the recipients. If it throws, no content is sent. */
  beforeContent: () => Promise<void>;
  signal?: AbortSignal;
}

const LONGEST_REPLY = 300;

interface SmtpError extends Error {
  code?: string;
  /** Code of the system or of TLS, if `code` is one of Nodemailer. */
  originalCode?: string;
  /** SMTP command that failed, or `CONN`. */
  command?: string;
  responseCode?: number;
  permanent?: boolean;
  response?: string;
  rejectedErrors?: readonly SmtpError[];
  recipient?: string;
}

/**
 * Sends mails through the operator's mail server. The operator sets its address in the environment, and it may be in a
 * private network. The address guard protects from addresses that sites choose, so it is not used here.
 */
export class Smtp {
  readonly #target: SmtpTarget;

  constructor(target: SmtpTarget) {
    this.#target = target;
  }

  async handOver(message: SmtpMessage, { beforeContent, signal }: SmtpSendOptions): Promise<SmtpOutcome> {
    // Loaded with the first mail: many services send none, and every start would wait for it.
    const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
    const { html, images } = inlineImages(message);
    const raw = await new MailComposer({
      from: message.from,
      ...(message.replyTo !== null && { replyTo: message.replyTo }),
      to: [...message.to],
      subject: message.subject,
      text: message.text,
      html,
      attachments: [
        ...images,
        ...message.attachments.map(({ name, contentType, bytes }) => ({
          filename: name,
          contentType,
          content: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
          contentDisposition: 'attachment' as const,
        })),
      ],
      messageId: message.messageId,
      date: message.date,
      // Prevents automatic replies, such as vacation messages.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
      .compile()
      .build();
    const content = new MailContentStream(raw, beforeContent);
    const connection = await this.#connection();
    const end = (): void => connection.close();
    signal?.addEventListener('abort', end);
    try {
      signal?.throwIfAborted();
      await this.#open(connection);
      const envelope = { from: message.from.address, to: [...message.recipients], size: raw.length };
      return await deliver(connection, envelope, content);
    } catch (error) {
      return errorToSmtpOutcome(error as SmtpError, content.sent);
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

  #open(connection: SmtpConnection): Promise<void> {
    const { login } = this.#target;
    return new Promise((resolve, reject) => {
      // Only the event `error` reports errors that occur while no command is running.
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

interface InlineImage {
  cid: string;
  filename: string;
  contentType: string;
  content: Buffer;
  contentDisposition: 'inline';
}

const DATA_IMAGE = /(<img src=")data:image\/(png|jpeg|webp);base64,([a-z0-9+/]+=*)"/gi;

function inlineImages({ html, from }: SmtpMessage): { html: string; images: InlineImage[] } {
  const images: InlineImage[] = [];
  const withoutData = html.replace(DATA_IMAGE, (_, start: string, type: string, encoded: string) => {
    const cid = `${randomUUID()}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`;
    images.push({
      ...{ cid, filename: `image-${images.length + 1}.${type}`, contentType: `image/${type}` },
      ...{ content: Buffer.from(encoded, 'base64'), contentDisposition: 'inline' },
    });
    return `${start}cid:${cid}"`;
  });
  return { html: withoutData, images };
}

function deliver(
  connection: SmtpConnection,
  envelope: { from: string; to: string[]; size: number },
  content: MailContentStream,
): Promise<SmtpOutcome> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('The mail server closed the connection.')));
    connection.send(envelope, content, (error, info) => {
      if (error) return reject(error);
      const refusals = refusalsIn((info as { rejectedErrors?: readonly SmtpError[] }).rejectedErrors);
      resolve({
        state: 'accepted',
        message: cleanReplyText((info as { response: string }).response),
        refused: refusals,
      });
    });
  });
}

function errorToSmtpOutcome(error: SmtpError, wasSent: boolean): SmtpOutcome {
  const { responseCode, rejectedErrors } = error;
  if (responseCode === undefined && wasSent)
    return { state: 'unknown', message: 'The connection was interrupted before the mail server confirmed the mail.' };
  return { state: 'refused', step: failedStepOf(error), ...replyIn(error), refused: refusalsIn(rejectedErrors) };
}

const CERTIFICATE_ERROR = /CERT|ALTNAME|SIGNATURE|^ERR_(SSL|TLS)/;

function failedStepOf(error: SmtpError): SmtpStep {
  const { code = '', originalCode = '', command = '' } = error;
  if (isTooLarge(error)) return 'content';
  if (code === 'EDNS') return 'address';
  if (code === 'EAUTH' || command.startsWith('AUTH')) return 'login';
  if (code === 'ETLS' || command === 'STARTTLS' || CERTIFICATE_ERROR.test(originalCode)) return 'tls';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') return 'recipients';
  return command === 'DATA' || code === 'EMESSAGE' || code === 'ESTREAM' ? 'content' : 'connection';
}

const refusalsIn = (errors: readonly SmtpError[] = []): RefusedRecipient[] =>
  errors.map((error) => ({ address: error.recipient ?? '', ...replyIn(error) }));

/** Nodemailer has no response if it found that the mail is larger than the server accepts. */
const isTooLarge = ({ code, responseCode }: SmtpError): boolean => code === 'EMESSAGE' && responseCode === undefined;

const replyIn = (error: SmtpError): SmtpReply => ({
  status: error.responseCode ?? null,
  message: cleanReplyText(error.response ?? error.message),
  // `EAUTH` is not permanent: the operator can correct a wrong password, and the mail itself is not the problem.
  permanent: (error.permanent === true && error.code !== 'EAUTH') || isTooLarge(error),
});

const cleanReplyText = (text: string): string =>
  truncate(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(), LONGEST_REPLY);

class MailContentStream extends Readable {
  readonly #raw: Buffer;
  readonly #begin: () => Promise<void>;
  /** True if the server may have the whole mail. */
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
