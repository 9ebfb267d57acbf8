import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { Mailbox } from '../../shared/mailbox.ts';
import type { MailSenderHeaders } from './mail.ts';
import type { MailHandover, MailServer } from './ports.ts';

export interface TestMailDeps {
  server: MailServer | null;
  from: Mailbox;
  headers: () => Promise<MailSenderHeaders>;
  clock: Clock;
}

const SUBJECT = 'Test mail of Sitefleet';
const TEXT = 'This is a test. If you can read it, the mail settings work.';

/** Sends a mail at once, without the outbox and its retries. */
export class TestMail {
  readonly #deps: TestMailDeps;

  constructor(deps: TestMailDeps) {
    this.#deps = deps;
  }

  get from(): string {
    return this.#deps.from.address;
  }

  async send(to: string, signal: AbortSignal): Promise<MailHandover | null> {
    const { server, from, headers, clock } = this.#deps;
    if (!server) return null;
    const { fromName, replyTo } = await headers();
    const mail = {
      from: { name: fromName ?? from.name, address: from.address },
      replyTo,
      to: [to],
      recipients: [to],
      subject: SUBJECT,
      text: TEXT,
      html: `<!doctype html><html lang="en"><head><title>${SUBJECT}</title></head><body><p>${TEXT}</p></body></html>`,
      attachments: [],
      messageId: `<${randomUUID()}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      date: new Date(clock.now()),
    };
    return server.handOver(mail, { signal, beforeContent: () => Promise.resolve() });
  }
}
