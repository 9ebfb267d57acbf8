import type { Alerts } from './alerts.ts';

/** What other parts and the surfaces may ask of the mails. */
export interface MailServices {
  alerts: Alerts;
}
