import { definePart, type Retention, type Schedule, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ModulesServices } from '../modules/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { dailySync } from './daily-sync.ts';
import { dailyTimingAt } from './daily-timing.ts';
import { pruneJob, retentionSchedule } from './retention.ts';
import { ScheduleRunner } from './schedule-runner.ts';
import { ScheduleService } from './schedule-service.ts';

export interface SchedulesDeps {
  modules: ModulesServices;
  settings: SettingsServices;
  sites: SitesServices;
  schedules: () => readonly Schedule[];
  retentions: () => readonly Retention[];
}

export function schedulesPart(
  { knex, clock, logger, queue, tickMs }: Platform,
  { modules: { modules }, settings: { settings }, sites, schedules, retentions }: SchedulesDeps,
) {
  const isModuleActive = (slug: string): Promise<boolean> => modules.isActive(slug);
  const refreshSettings = () => settings.refresh();
  const common = { knex, clock, logger, schedules, isModuleActive, refreshSettings };
  const runner = new ScheduleRunner({ ...common, tickMs });
  const prune = pruneJob(retentions);
  const timing = () => dailyTimingAt('3:10', settings.current('general'));
  return definePart({
    name: 'schedules',
    own: { schedules: new ScheduleService(common), runner },
    jobs: [prune],
    schedules: [dailySync({ ...sites, queue, settings }), retentionSchedule(queue, prune, { retentions, timing })],
    start: async () => runner.start(),
    drain: () => runner.stop(),
  });
}

export type SchedulesServices = OwnOf<typeof schedulesPart>;
