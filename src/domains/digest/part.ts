import { definePart, type Part } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { MailServices } from '../mail/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { DailyDigest } from './daily-digest.ts';

interface DigestPartDeps {
  mail: MailServices;
  settings: SettingsServices;
}

export function digestPart({ clock }: Platform, { mail: { mailer }, settings: own }: DigestPartDeps): Part {
  const { settings, formats } = own;
  const digest = new DailyDigest({ clock, settings, formats });
  return definePart({
    name: 'digest',
    own: {},
    schedules: [
      {
        name: 'daily-digest',
        description: 'Queues the daily digest mail at 07:00 in `timezone_string` if there is something to report.',
        timing: () => dailyTimingAt('7:00', settings.current('general')),
        begin: async ({ scope, requestedBy }) => {
          const letter = await digest.message(scope.trx);
          return letter && mailer.post(scope, letter, requestedBy);
        },
      },
    ],
  });
}
