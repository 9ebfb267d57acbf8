export type { AlertFacts } from './alert-types.ts';
export type { Alert, AlertedSite } from './alert.ts';
export type { Alerts } from './alerts.ts';
export { unknownTokens, type EmailSetting, type EmailsPreconditionInput } from './email-settings.ts';
export { durationInWords, type MessageItem, type MessageSection } from './mail-message.ts';
export type { Mailer, NewMessage } from './mailer.ts';
export type { Mail, MailWithContent } from './mail.ts';
export { parseSentMail } from './send-mail.job.ts';
export type { MailServices } from './part.ts';
