import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BackupsServices } from '../backups/index.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { MailServices } from '../mail/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { SiteLeases, type SitesServices } from '../sites/index.ts';
import type { UptimeServices } from '../uptime/index.ts';
import type { VulnerabilitiesServices } from '../vulnerabilities/index.ts';
import { autoUpdatesSchedule } from './auto-updates.schedule.ts';
import { carefulGuard } from './careful-guard.ts';
import { confirmOpenUpdates } from './confirm-open-updates.ts';
import { createBackupRequirement } from './backup-requirement.ts';
import { BrokenSiteRecorder } from './broken-site-recorder.ts';
import { FleetUpdates } from './fleet-updates.ts';
import { UpdateGuards } from './guard.ts';
import { createHealthProbes } from './health-probes.ts';
import { IgnoredUpdatesReadModel } from './ignored-updates-read-model.ts';
import { IgnoreRuleService } from './ignore-rule-service.ts';
import { LeftOutReadModel } from './left-out-read-model.ts';
import { PlannedPackagesReadModel } from './planned-packages-read-model.ts';
import { MinimumAge } from './minimum-age.ts';
import { toPhpError, type PhpError } from './php-error.ts';
import { plainGuard } from './plain-guard.ts';
import { ringErrorsOf } from './rings.ts';
import { visibleUpdateTypes } from './visible-update-types.ts';
import { ScheduledFailures } from './scheduled-failures.ts';
import { SiteHealth } from './site-health.ts';
import { SiteUpdater } from './site-updater.ts';
import { SiteUpdates } from './site-updates.ts';
import { splitList } from '../../shared/text.ts';
import { UpdateReadModel } from './update-read-model.ts';
import { UpdateItems, updateJob } from './update.job.ts';
import { updatesSection } from './updates-section.ts';

interface UpdatesPartDeps {
  backups: BackupsServices;
  changes: ChangesServices;
  jobs: JobsServices;
  mail: MailServices;
  settings: SettingsServices;
  sites: SitesServices;
  uptime: UptimeServices;
  vulnerabilities: VulnerabilitiesServices;
}

export function updatesPart(
  { knex, clock, child, queue, config, deadlines }: Platform,
  { backups, changes, jobs, mail, settings, sites, uptime, vulnerabilities }: UpdatesPartDeps,
) {
  const { changeLog } = changes;
  const { calls, sync, references, records } = sites;
  const { looks: retries, runner } = jobs;
  const leases = new SiteLeases({ knex, clock, purpose: 'update', leaseMs: config.leaseMs });
  const probes = createHealthProbes({
    ...settings,
    requestHomePage: (siteId, method) => uptime.uptime.uncachedHomePage(siteId, method),
    requestPages: (siteId, paths) => uptime.uptime.pages(siteId, paths),
    requestUnknownAction: (siteId) => uptime.uptime.unknownAction(siteId),
    calls,
    opensHomePage: (link) => child.opensHomePage(link),
    readState: async (link, siteId) => child.stats(link, await sync.request(siteId)),
  });
  const health = new SiteHealth(probes, deadlines.pageAgainMs);
  const brokenSites = new BrokenSiteRecorder({ knex, ...mail, health });
  uptime.uptime.onChecked(async (siteId, status) => {
    if ((await brokenSites.findCandidates(knex, [{ siteId, status }])).length > 0)
      await brokenSites.clearIfWell(siteId);
  });
  uptime.monitors.onHealthy({
    select: (trx, visits) => brokenSites.findCandidates(trx, visits),
    perform: (siteId) => brokenSites.clearIfWell(siteId),
  });
  const rule = createBackupRequirement({ ...backups, ...settings, clock });
  const vulnerable = vulnerabilities.vulnerableItems;
  const shown = visibleUpdateTypes(settings.settings);
  const guards = new UpdateGuards([plainGuard, carefulGuard(child)]);
  const readPageError = (siteId: number): Promise<PhpError | null> =>
    uptime.uptime.pageError(siteId).then((error) => error && toPhpError(error));
  const updater = new SiteUpdater({
    knex,
    clock,
    child,
    calls,
    sync,
    changeLog,
    leases,
    looks: retries,
    health,
    guards,
    readPageError,
    isAlwaysChecked: () => settings.settings.current('general').check_http_response === 1,
    brokenSites,
    ownUpdates: uptime.ownUpdates,
    backups: rule,
    shown,
    vulnerable,
  });
  settings.settings.addCheck('general', 'auto_update_rings', (trx, rings) =>
    ringErrorsOf(trx, 'auto_update_rings', rings),
  );
  const isBrokenMailed = (): boolean => {
    const { http_check: broken, update_failed: failed } = settings.settings.current('emails');
    const reached = splitList(broken.recipients);
    return broken.disable === 0 && splitList(failed.recipients).every((address) => reached.includes(address));
  };
  const failures = new ScheduledFailures({ knex, clock, ...mail, changeLog, isBrokenMailed });
  const updateItems = new UpdateItems({ updater, retries, failures });
  const updateSite = updateJob(updateItems);
  const minimumAge = new MinimumAge({ ...settings, clock, vulnerable });
  const updateReadModel = new UpdateReadModel(knex, shown);
  return definePart({
    name: 'updates',
    deletionCounts: [
      { of: 'site', effect: 'updates', table: 'site_updates', column: 'site_id' },
      { of: 'site', effect: 'ignored_updates', table: 'ignored_updates', column: 'site_id' },
    ],
    own: {
      updater,
      siteUpdates: new SiteUpdates({ updater, runner, updateSite }),
      updateItems,
      updateReadModel,
      fleetUpdates: new FleetUpdates({
        knex,
        references,
        records,
        updates: updateReadModel,
        runner,
        updateSite,
        vulnerable,
        guards,
        unguardedPolicy: () => settings.settings.current('general').auto_update_unguarded,
        minimumAge,
      }),
      guards,
      health,
      readPageError,
      ignoredUpdates: new IgnoreRuleService({ knex, clock, changeLog }),
      ignoredUpdatesReadModel: new IgnoredUpdatesReadModel(knex),
      leftOutReadModel: new LeftOutReadModel(knex, minimumAge),
      plannedPackages: new PlannedPackagesReadModel(knex),
    },
    jobs: [updateSite],
    sections: [updatesSection],
    onReport: [confirmOpenUpdates({ clock, changeLog })],
    schedules: [autoUpdatesSchedule({ ...settings, queue, updateSite, minimumAge })],
    start: async ({ alone }) => {
      if (alone) await leases.expireStale();
    },
  });
}

export type UpdatesServices = OwnOf<typeof updatesPart>;
