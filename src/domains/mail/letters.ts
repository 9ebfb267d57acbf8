import type { Scope } from '../../db/transaction.ts';
import type { EmailSettings } from './email-settings.ts';
import type { LetterWriter } from './letter-writer.ts';
import type { Letter } from './letter.ts';
import type { MailType } from './mail.ts';
import type { Outbox } from './outbox.ts';

/** A letter of a part: what it says, and what its subject may name. */
export interface NewLetter {
  type: MailType;
  letter: Omit<Letter, 'heading'>;
  tokens: { site: string; count: string; status: string };
}

/** Takes letters of other parts, and writes them as the settings of their type say. */
export class Letters {
  readonly #parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter };

  constructor(parts: { outbox: Outbox; emails: EmailSettings; writer: LetterWriter }) {
    this.#parts = parts;
  }

  /** The job that sends it; null where none is needed, because nobody wants it or it can only be kept. */
  async post(scope: Scope, { type, letter, tokens }: NewLetter, requestedBy: string): Promise<string | null> {
    const { outbox, emails, writer } = this.#parts;
    const { heading, subject, recipients, disabled } = emails.current(type);
    if (disabled) return null;
    const content = writer.write({ ...letter, heading }, subject, tokens);
    return (await outbox.add(scope, [{ type, recipients, ...content }], requestedBy)).jobId;
  }
}
