import type { Knex } from 'knex';
import { definePart, type Part } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { MailServices } from '../mail/index.ts';
import { dailyTimingAt } from '../schedules/index.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { DailyDigest } from './daily-digest.ts';

interface DigestPartDeps {
  mail: MailServices;
  modules: ModulesServices;
  settings: SettingsServices;
}

export function digestPart(
  { clock }: Platform,
  { mail: { mailer }, modules: { modules }, settings: { settings, formats } }: DigestPartDeps,
): Part {
  const isModuleActive = (trx: Knex, slug: string) => modules.isActiveWithin(trx, slug);
  const digest = new DailyDigest({ clock, settings, formats, isModuleActive });
  return definePart({
    name: 'digest',
    own: {},
    schedules: [
      {
        name: 'daily-digest',
        description: 'Queues the daily digest mail at 07:00 in `timezone_string` if there is something to report.',
        timing: () => dailyTimingAt('7:00', settings.current('general')),
        begin: async ({ scope, lastRunAt, requestedBy }) => {
          const letter = await digest.message(scope.trx, lastRunAt);
          return letter && mailer.post(scope, letter, requestedBy);
        },
      },
    ],
  });
}
