export type { AlertFacts } from './alert-types.ts';
export type { Alert, AlertedSite } from './alert.ts';
export type { Alerts } from './alerts.ts';
export { unknownSubjectTokens, type MailTypeSettings, type EmailsPreconditionInput } from './email-settings.ts';
export { durationInWords, type MailBodyBlock, type MailBodySection } from './mail-message.ts';
export type { Mailer, UnrenderedMail } from './mailer.ts';
export type { Mail, MailWithContent } from './mail.ts';
export { parseSendMailResult } from './send-mail.job.ts';
export type { MailServices } from './part.ts';
