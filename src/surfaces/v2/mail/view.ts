import type { components } from '../../../../generated/v2.ts';
import type { Mail, MailWithContent } from '../../../domains/mail/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const mailView = (mail: Mail | MailWithContent): Schemas['Mail'] => ({
  id: mail.id,
  type: mail.type,
  state: mail.state,
  subject: mail.subject,
  from_name: mail.fromName,
  reply_to: mail.replyTo,
  recipients: mail.recipients.map(({ address, state, smtpStatus: smtp_status, message }) => ({
    address,
    state,
    smtp_status,
    message,
  })),
  attachments: mail.attachments.map(({ name, contentType, size }) => ({ name, content_type: contentType, size })),
  attempts: mail.attempts,
  error: mail.fault && { code: mail.fault.code, message: mail.fault.message, smtp_status: mail.fault.smtpStatus },
  message_id: mail.messageId,
  job_id: mail.jobId,
  links: mail.links.map(({ label, href }) => ({ label, href })),
  created_at: toIso(mail.createdAt),
  updated_at: toIso(mail.updatedAt),
  next_attempt_at: toIso(mail.nextAttemptAt),
  sent_at: toIso(mail.sentAt),
  ...('html' in mail ? { html: mail.html, text: mail.text } : {}),
});
