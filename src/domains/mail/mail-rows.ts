import { fromJson } from '../../db/json.ts';
import type { MailLink } from './mail-message.ts';
import type { FaultCode, Mail, MailState, MailType, MailWithContent, Recipient, RecipientState } from './mail.ts';

/** In the phase `content`, the mail server may have received the whole mail. */
export type DeliveryPhase = 'connecting' | 'content';

export interface MailRow {
  id: number;
  type: MailType;
  message_id: string;
  subject: string;
  from_name: string | null;
  reply_to: string | null;
  links: string;
  state: MailState;
  attempts: number;
  error_code: FaultCode | null;
  error_message: string | null;
  smtp_status: number | null;
  job_id: string | null;
  created_at: number;
  updated_at: number;
  next_attempt_at: number | null;
  sent_at: number | null;
}

export interface MailBodies {
  html: string;
  text: string;
}

export interface RecipientRow {
  mail_id: number;
  address: string;
  state: RecipientState;
  smtp_status: number | null;
  message: string | null;
}

export const MAIL_COLUMNS = [
  'id',
  'type',
  'message_id',
  'subject',
  'from_name',
  'reply_to',
  'links',
  'state',
  'attempts',
  'error_code',
  'error_message',
  'smtp_status',
  'job_id',
  'created_at',
  'updated_at',
  'next_attempt_at',
  'sent_at',
] as const;
export const BODY_COLUMNS = ['html', 'text'] as const;
export const RECIPIENT_COLUMNS = ['mail_id', 'address', 'state', 'smtp_status', 'message'] as const;

export const toRecipient = (row: RecipientRow): Recipient => ({
  address: row.address,
  state: row.state,
  smtpStatus: row.smtp_status,
  message: row.message,
});

export type MailRelations = Pick<Mail, 'recipients' | 'attachments'>;

export const toMail = (row: MailRow, { recipients, attachments }: MailRelations): Mail => ({
  id: row.id,
  type: row.type,
  messageId: row.message_id,
  subject: row.subject,
  fromName: row.from_name,
  replyTo: row.reply_to,
  links: fromJson<MailLink[]>(row.links) ?? [],
  state: row.state,
  attempts: row.attempts,
  fault: row.error_code && {
    code: row.error_code,
    message: row.error_message ?? '',
    smtpStatus: row.smtp_status,
  },
  jobId: row.job_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  nextAttemptAt: row.next_attempt_at,
  sentAt: row.sent_at,
  recipients,
  attachments,
});

export const toMailWithContent = (row: MailRow & MailBodies, beside: MailRelations): MailWithContent => ({
  ...toMail(row, beside),
  html: row.html,
  text: row.text,
});
