export type { Alert, AlertedSite, AlertFacts, Alerts, AlertType } from './alerts.ts';
export type { MailServices } from './services.ts';
