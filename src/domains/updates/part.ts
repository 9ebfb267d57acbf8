import { part, type Part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { BackupsServices } from '../backups/index.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import type { SitesServices } from '../sites/index.ts';
import type { UptimeServices } from '../uptime/index.ts';
import { backupRule } from './backup-rule.ts';
import { FleetUpdates } from './fleet-updates.ts';
import { IgnoredUpdatesReadModel } from './ignored-updates-read-model.ts';
import { IgnoredUpdates } from './ignored-updates.ts';
import { shownTypes } from './shown-types.ts';
import type { UpdatesServices } from './services.ts';
import { SiteUpdater } from './site-updater.ts';
import { UpdateLeases } from './update-leases.ts';
import { UpdateReadModel } from './update-read-model.ts';
import { updateJob } from './update.job.ts';
import { updatesSection } from './updates-section.ts';

interface Needs {
  backups: BackupsServices;
  changes: ChangesServices;
  jobs: JobsServices;
  settings: SettingsServices;
  sites: SitesServices;
  uptime: UptimeServices;
}

/** Updates that wait, those that are ignored, and their installation. */
export function updatesPart(
  { knex, clock, child }: Platform,
  { backups, changes, sites, settings, jobs, uptime }: Needs,
): Part<UpdatesServices> {
  const { changeLog } = changes;
  const { calls, sync, references, records } = sites;
  const { looks, runner } = jobs;
  const leases = new UpdateLeases({ knex, clock });
  const visit = async (siteId: number): Promise<number> => (await uptime.uptime.check(siteId)).httpStatus;
  const rule = backupRule({ ...backups, ...settings, clock });
  const shown = shownTypes(settings.settings);
  const updater = new SiteUpdater({
    knex,
    clock,
    child,
    calls,
    sync,
    changeLog,
    leases,
    looks,
    visit,
    backups: rule,
    shown,
  });
  const updateSite = updateJob(updater, looks);
  const updateReadModel = new UpdateReadModel(knex, shown);
  return part({
    name: 'updates',
    own: {
      updater,
      updateReadModel,
      fleetUpdates: new FleetUpdates({ references, records, updates: updateReadModel, runner, updateSite }),
      ignoredUpdates: new IgnoredUpdates({ knex, clock, changeLog }),
      ignoredUpdatesReadModel: new IgnoredUpdatesReadModel(knex),
    },
    jobs: [updateSite],
    sections: [updatesSection],
    start: async ({ alone }) => {
      if (alone) await leases.takeOver();
    },
  });
}
