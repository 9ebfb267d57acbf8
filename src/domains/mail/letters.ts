import type { Scope } from '../../db/transaction.ts';
import type { EmailSettings } from './email-settings.ts';
import type { LetterWriter } from './letter-writer.ts';
import type { Letter } from './letter.ts';
import type { AttachedFile, MailType } from './mail.ts';
import type { Outbox } from './outbox.ts';

export interface NewLetter {
  type: MailType;
  letter: Omit<Letter, 'heading'>;
  tokens: Readonly<Record<string, string>>;
  /** Replaces the recipients from the settings, unless it is empty. */
  recipients?: readonly string[];
  /** Replaces the subject from the settings. */
  subject?: string | null;
  attachments?: readonly AttachedFile[];
}

/** Accepts messages from other parts and renders them with the settings of their type. */
export class Letters {
  readonly #parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter };

  constructor(parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter }) {
    this.#parts = parts;
  }

  /**
   * Returns the ID of the job that sends the mail, or null if mails of this type are disabled or the mail can only be
   * stored.
   */
  async post(scope: Scope, letter: NewLetter, requestedBy: string): Promise<string | null> {
    return (await this.send(scope, letter, requestedBy)).jobId;
  }

  /** Works like `post`, but also returns the ID of the mail. `mailId` is null if mails of this type are disabled. */
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
