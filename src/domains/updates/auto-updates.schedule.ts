import { ALL_SITES } from '../../shared/site-scope.ts';
import type { Schedule, CronTiming } from '../../platform/part.ts';
import type { JobKind, Queue } from '../../queue/index.ts';
import { ConflictError } from '../../shared/errors.ts';
import type { Settings, SettingsService } from '../settings/index.ts';
import type { MinimumAge } from './minimum-age.ts';
import { assignSitesToRings, ringErrorsOf, STOP_AT_UNKNOWN } from './rings.ts';
import type { UpdateJobInput } from './update.job.ts';
import type { UpdateJobResult } from './update-job-result.ts';
import { UpdateReadModel } from './update-read-model.ts';
import type { UpdateType } from './update.ts';

type AutoUpdateSettings = Settings<'general'>;

export interface AutoUpdatesDeps {
  settings: Pick<SettingsService, 'current'>;
  queue: Pick<Queue, 'enqueue'>;
  updateSite: JobKind<UpdateJobInput, UpdateJobResult>;
  minimumAge: MinimumAge;
}

export function autoUpdatesSchedule({ settings, queue, updateSite, minimumAge }: AutoUpdatesDeps): Schedule {
  const general = (): AutoUpdateSettings => settings.current('general');
  return {
    name: 'auto-updates',
    description:
      'Installs the updates that the general settings select, when they have the minimum age or close a vulnerability.',
    timing: () => (autoUpdateTypesOf(general()).length === 0 ? null : timingOf(general())),
    async begin({ scope, requestedBy }) {
      const {
        auto_update_rings: rings,
        auto_update_stop_after_broken: stopAfterBroken,
        auto_update_stop_after_failed: stopAfterFailed,
        auto_update_guard: guard,
        auto_update_unguarded: unguarded,
      } = general();
      const types = autoUpdateTypesOf(general());
      if (types.length === 0) return null;
      const hold = minimumAge.rule();
      const fitting = {
        scope: ALL_SITES,
        types,
        slugs: [],
        withIgnored: false,
        withBroken: rings.length > 0,
        hold: await minimumAge.filterOf(scope.trx, hold),
      };
      const due = await new UpdateReadModel(scope.trx).affected(fitting);
      if (due.length === 0) return null;
      const sites = due.map((site) => ({ site, siteId: site.id, identifier: site.id }));
      const input: UpdateJobInput = {
        types,
        slugs: [],
        complain: 'never',
        ...(hold && { hold }),
        checkPage: true,
        isScheduled: true,
        ...(guard !== 'none' && { guard: { name: guard, unguarded } }),
      };
      if (rings.length === 0) return queue.enqueue(scope, updateSite, { requestedBy, input, items: sites });
      // A tag that `auto_update_rings` names can be deleted after the setting was saved.
      const [wrong] = await ringErrorsOf(scope.trx, 'auto_update_rings', rings);
      if (wrong)
        throw new ConflictError('svc_schedule_misconfigured', `The general setting ${wrong.path} ${wrong.message}.`, {
          setting: 'auto_update_rings',
        });
      const { staged: items, stages } = await assignSitesToRings(scope.trx, ALL_SITES, sites, {
        rings,
        stopAfterBroken,
        stopAfterFailed,
      });
      const staged = { ...stages, ...(input.guard && STOP_AT_UNKNOWN) };
      return queue.enqueue(scope, updateSite, { requestedBy, input, items, stages: staged });
    },
  };
}

function autoUpdateTypesOf(general: AutoUpdateSettings): UpdateType[] {
  const flags = {
    core: general.automatic_daily_update,
    plugin: general.plugin_automatic_daily_update,
    theme: general.theme_automatic_daily_update,
    translation: general.trans_automatic_daily_update,
  };
  return (Object.keys(flags) as UpdateType[]).filter((type) => flags[type] === 1);
}

function timingOf(general: AutoUpdateSettings): CronTiming {
  const { frequency_auto_update: frequency, time_auto_update: time, timezone_string: timeZone } = general;
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const at = `${minute} ${hour}`;
  if (frequency === 'weekly') return { pattern: `${at} * * ${general.dayinweek_auto_update}`, timeZone };
  if (frequency === 'monthly') return { pattern: monthlyCronPattern(at, general.dayinmonth_auto_update), timeZone };
  return { pattern: `${at} * * *`, timeZone };
}

/** Returns the cron pattern for a day of the month. 0 and days that a month lacks mean the last day of the month. */
function monthlyCronPattern(at: string, day: number): string {
  if (day === 0 || day === 31) return `${at} L * *`;
  if (day < 29) return `${at} ${day} * *`;
  return `${at} ${day} 1,3-12 * | ${at} L 2 *`;
}
