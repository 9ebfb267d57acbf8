import type { Scope } from '../../db/transaction.ts';
import type { EmailSettings } from './email-settings.ts';
import type { LetterWriter } from './letter-writer.ts';
import type { Letter } from './letter.ts';
import type { AttachedFile, MailType } from './mail.ts';
import type { Outbox } from './outbox.ts';

/** A letter of a part: what it says, and what its subject may name. */
export interface NewLetter {
  type: MailType;
  letter: Omit<Letter, 'heading'>;
  tokens: Readonly<Record<string, string>>;
  /** Instead of those of the settings, unless they are none. */
  recipients?: readonly string[];
  /** Instead of that of the settings. */
  subject?: string | null;
  attachments?: readonly AttachedFile[];
}

/** Takes letters of other parts, and writes them as the settings of their type say. */
export class Letters {
  readonly #parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter };

  constructor(parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter }) {
    this.#parts = parts;
  }

  /** The job that sends it; null where none is needed, because nobody wants it or it can only be kept. */
  async post(scope: Scope, letter: NewLetter, requestedBy: string): Promise<string | null> {
    return (await this.send(scope, letter, requestedBy)).jobId;
  }

  /** The same with the ID of the mail; null where nobody wants mails of its type. */
  async send(
    scope: Scope,
    { type, letter, tokens, recipients = [], subject, attachments = [] }: NewLetter,
    requestedBy: string,
  ): Promise<{ mailId: number | null; jobId: string | null }> {
    const { outbox, emails, writer } = this.#parts;
    const settings = emails.current(type);
    if (settings.disabled) return { mailId: null, jobId: null };
    const content = writer.write({ ...letter, heading: settings.heading }, subject ?? settings.subject, tokens);
    const addressed = { type, recipients: recipients.length > 0 ? recipients : settings.recipients, attachments };
    const { mailIds, jobId } = await outbox.add(scope, [{ ...addressed, ...content }], requestedBy);
    return { mailId: mailIds[0] ?? null, jobId };
  }
}
