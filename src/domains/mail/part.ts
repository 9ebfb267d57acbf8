import { part, type Part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import { Alerts } from './alerts.ts';
import type { MailServices } from './services.ts';

/** What people are told by mail. */
export function mailPart({ clock }: Platform): Part<MailServices> {
  return part({ name: 'mail', own: { alerts: new Alerts(clock) } });
}
