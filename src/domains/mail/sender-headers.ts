import { normalizeMailAddress } from '../../shared/mail-address.ts';
import type { MailSenderHeaders } from './mail.ts';

/** Texts of the settings or of a client, which are empty if they are not set. */
export interface SenderTexts {
  mail_from_name: string;
  mail_reply_to: string;
}

export const senderHeadersOf = ({ mail_from_name: name, mail_reply_to: replyTo }: SenderTexts): MailSenderHeaders => ({
  fromName: name.trim() || null,
  replyTo: normalizeMailAddress(replyTo),
});
