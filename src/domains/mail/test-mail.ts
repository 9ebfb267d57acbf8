import { randomUUID } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { MailHandover, MailServer } from './ports.ts';

export interface TestMailDeps {
  server: MailServer | null;
  from: string;
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
    return this.#deps.from;
  }

  /** Returns null if no mail server is configured. */
  async send(to: string, signal: AbortSignal): Promise<MailHandover | null> {
    const { server, from, clock } = this.#deps;
    if (!server) return null;
    const mail = {
      from,
      to: [to],
      recipients: [to],
      subject: SUBJECT,
      text: TEXT,
      html: `<!doctype html><html lang="en"><head><title>${SUBJECT}</title></head><body><p>${TEXT}</p></body></html>`,
      attachments: [],
      messageId: `<${randomUUID()}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      date: new Date(clock.now()),
    };
    return server.handOver(mail, { signal, beforeContent: () => Promise.resolve() });
  }
}
