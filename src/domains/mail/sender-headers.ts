import { normalizeMailAddress } from '../../shared/mail-address.ts';
import type { MailSenderHeaders } from './mail.ts';

/** Reads the headers from stored texts, which are empty if they are not set. */
export const senderHeadersOf = ({ fromName, replyTo }: { fromName: string; replyTo: string }): MailSenderHeaders => ({
  fromName: fromName.trim() || null,
  replyTo: normalizeMailAddress(replyTo),
});
