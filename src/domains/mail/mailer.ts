import type { TransactionScope } from '../../db/transaction.ts';
import type { Requester } from '../../shared/requester.ts';
import type { EmailSettings } from './email-settings.ts';
import type { MailRenderer } from './mail-renderer.ts';
import type { MailMessage } from './mail-message.ts';
import type {
  AttachedFile,
  AttachmentMetadata,
  MailContent,
  MailSenderHeaders,
  MailType,
  SecretTexts,
} from './mail.ts';
import type { Outbox } from './outbox.ts';

export interface UnrenderedMail {
  type: MailType;
  message: Omit<MailMessage, 'heading'>;
  tokens: Readonly<Record<string, string>>;
  /** Unless it is empty, replaces the recipients from the settings. */
  recipients?: readonly string[];
  /** Replaces every other subject, also that of the settings. Null or missing: no replacement. */
  subject?: string | null;
  /** Standard heading and subject in the language of the mail. Texts that an operator has changed have precedence. */
  defaults?: { heading: string; subject: string };
  attachments?: readonly AttachedFile[];
  /** Sender headers of the client. Default: those of the settings. */
  sender?: MailSenderHeaders;
  secretTexts?: SecretTexts;
  /** Sites that the mail is about. Default: none, so limited callers do not see the mail. */
  siteIds?: readonly number[];
  /** ID of the client whose data the mail contains. Limited callers see the mail only if they see the client. */
  shownClientId?: number | null;
}

export interface PreviewedMail extends MailContent, MailSenderHeaders {
  recipients: readonly string[];
  attachments: readonly AttachmentMetadata[];
}

export class Mailer {
  readonly #deps: { outbox: Outbox; emails: EmailSettings; writer: MailRenderer };

  constructor(deps: { outbox: Outbox; emails: EmailSettings; writer: MailRenderer }) {
    this.#deps = deps;
  }

  /**
   * Returns the ID of the job that sends the mail, or null if there is none. If mails of this type are disabled,
   * nothing is stored. Without a recipient or a mail server, the mail is only stored.
   */
  async post(scope: TransactionScope, letter: UnrenderedMail, requestedBy: Requester): Promise<string | null> {
    return (await this.send(scope, letter, requestedBy)).jobId;
  }

  async send(
    scope: TransactionScope,
    letter: UnrenderedMail,
    requestedBy: Requester,
  ): Promise<{ mailId: number | null; jobId: string | null }> {
    const { type, recipients = [], attachments = [], siteIds = [], shownClientId = null, sender, secretTexts } = letter;
    const { outbox, emails } = this.#deps;
    const settings = emails.current(type);
    if (settings.disabled) return { mailId: null, jobId: null };
    const content = this.#render(letter);
    const addressed = {
      type,
      recipients: recipients.length > 0 ? recipients : settings.recipients,
      ...{ attachments, siteIds, shownClientId },
      ...(sender && { sender }),
      ...(secretTexts && { secretTexts }),
    };
    const { mailIds, jobId } = await outbox.add(scope, [{ ...addressed, ...content }], requestedBy);
    return { mailId: mailIds[0] ?? null, jobId };
  }

  /** Returns a mail as it would be sent now, without its secret texts. Stores nothing. */
  preview(letter: UnrenderedMail): PreviewedMail {
    const { type, recipients = [], attachments = [], sender } = letter;
    const { outbox, emails } = this.#deps;
    return {
      ...this.#render(letter),
      ...outbox.senderHeadersFor(sender),
      recipients: recipients.length > 0 ? recipients : emails.current(type).recipients,
      attachments: attachments.map(({ name, contentType, bytes }) => ({ name, contentType, size: bytes.length })),
    };
  }

  #render({ type, message, subject, defaults, tokens }: UnrenderedMail): MailContent {
    const { emails, writer } = this.#deps;
    const settings = emails.current(type, defaults);
    return writer.render({ ...message, heading: settings.heading }, subject ?? settings.subject, tokens);
  }
}
