export type { Alert, AlertedSite, AlertFacts } from './alert.ts';
export type { Alerts } from './alerts.ts';
export { strangeTokens, type EmailSetting, type SeenEmails } from './email-settings.ts';
export { durationInWords, type LetterItem, type LetterSection } from './letter.ts';
export type { Letters, NewLetter } from './letters.ts';
export type { Mail, MailWithContent } from './mail.ts';
export { sentMail } from './send-mail.job.ts';
export type { MailServices } from './part.ts';
