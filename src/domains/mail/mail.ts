import type { ModuleSlug } from '../modules/index.ts';
import { MODULE_OF_ALERT, type AlertType } from './alert-types.ts';
import type { MailLink } from './mail-message.ts';

export type MailType = AlertType | 'daily_digest' | 'report' | 'report_waiting';

export const MODULE_OF_MAIL_TYPE: Partial<Record<MailType, ModuleSlug>> = {
  ...MODULE_OF_ALERT,
  report: 'pro-reports',
  report_waiting: 'pro-reports',
};

/** A `kept` mail is stored without being sent, because there is no mail server or no recipient. */
const MAIL_STATES = ['queued', 'sending', 'sent', 'failed', 'kept'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A recipient is `pending` until the mail server has accepted it or finally refused it. */
export type RecipientState = 'pending' | 'accepted' | 'refused';

export type FaultCode =
  | 'no_mail_server'
  | 'no_recipients'
  | 'refused'
  | 'not_delivered'
  | 'outcome_unknown'
  | 'cancelled'
  | 'outside_limits'
  | 'internal_error';

export interface MailFault {
  code: FaultCode;
  message: string;
  smtpStatus: number | null;
}

export interface Recipient {
  address: string;
  state: RecipientState;
  smtpStatus: number | null;
  message: string | null;
}

export interface AttachmentMetadata {
  name: string;
  contentType: string;
  /** In bytes. */
  size: number;
}
export type AttachedFile = Omit<AttachmentMetadata, 'size'> & { bytes: Uint8Array };

export interface MailContent {
  subject: string;
  html: string;
  text: string;
  links: readonly MailLink[];
}

/** A null `fromName` stands for the name in `SMTP_FROM`. If `replyTo` is null, replies go to the sender. */
export interface MailSenderHeaders {
  fromName: string | null;
  replyTo: string | null;
}

export interface RenderedMail extends MailContent {
  type: MailType;
  recipients: readonly string[];
  sender?: MailSenderHeaders;
  attachments?: readonly AttachedFile[];
  secretTexts?: SecretTexts;
  siteIds?: readonly number[];
  shownClientId?: number | null;
}

/** Texts by their placeholders. The outbox stores them encrypted, and they are filled in when the mail is sent. */
export type SecretTexts = Readonly<Record<string, string>>;

export interface Mail extends MailSenderHeaders {
  id: number;
  type: MailType;
  messageId: string;
  subject: string;
  links: readonly MailLink[];
  state: MailState;
  attempts: number;
  fault: MailFault | null;
  jobId: string | null;
  createdAt: number;
  updatedAt: number;
  nextAttemptAt: number | null;
  sentAt: number | null;
  recipients: readonly Recipient[];
  attachments: readonly AttachmentMetadata[];
}

export type MailWithContent = Mail & Pick<MailContent, 'html' | 'text'>;

export const NO_MAIL_SERVER: MailFault = {
  code: 'no_mail_server',
  message: 'No mail server is configured. Set SMTP_URL.',
  smtpStatus: null,
};
export const NO_RECIPIENTS: MailFault = {
  code: 'no_recipients',
  message: 'The e-mail settings contain no recipients for this mail type.',
  smtpStatus: null,
};
export const JOB_CANCELLED: MailFault = {
  code: 'cancelled',
  message: 'The job of this mail was cancelled or deleted.',
  smtpStatus: null,
};
export const OUTSIDE_LIMITS: MailFault = {
  code: 'outside_limits',
  message: 'The mail is no longer within the limits of the credential that sent it.',
  smtpStatus: null,
};
export const OUTCOME_UNKNOWN: MailFault = {
  code: 'outcome_unknown',
  message: 'The sending was interrupted. The mail server may have accepted the mail.',
  smtpStatus: null,
};
export const INTERNAL_ERROR: MailFault = {
  code: 'internal_error',
  message: 'Something went wrong on our side.',
  smtpStatus: null,
};

/**
 * Returns the state of a mail that gets no further attempt. It counts as sent if at least one recipient has it. An
 * unknown outcome stays visible, because another attempt could deliver the mail twice.
 */
export const finalState = (
  { recipients }: Pick<Mail, 'recipients'>,
  fault: MailFault,
): { state: 'sent'; fault: null } | { state: 'failed'; fault: MailFault } =>
  fault.code !== 'outcome_unknown' && recipients.some(({ state }) => state === 'accepted')
    ? { state: 'sent', fault: null }
    : { state: 'failed', fault };
