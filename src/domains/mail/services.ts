import type { Alerts } from './alerts.ts';
import type { EmailSettings } from './email-settings.ts';
import type { Letters } from './letters.ts';
import type { OutboxReadModel } from './outbox-read-model.ts';
import type { Outbox } from './outbox.ts';

export interface MailServices {
  alerts: Alerts;
  outbox: Outbox;
  emails: EmailSettings;
  letters: Letters;
  mails: OutboxReadModel;
}
