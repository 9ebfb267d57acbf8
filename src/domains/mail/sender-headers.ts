import { normalizeMailAddress } from '../../shared/mail-address.ts';
import type { MailSenderHeaders } from './mail.ts';

export interface SenderTexts {
  mail_from_name: string;
  mail_reply_to: string;
}

export const senderHeadersOf = ({ mail_from_name: name, mail_reply_to: replyTo }: SenderTexts): MailSenderHeaders => ({
  fromName: name.trim() || null,
  replyTo: normalizeMailAddress(replyTo),
});
