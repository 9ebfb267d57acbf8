import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { MailServices } from '../mail/index.ts';
import type { PackagesServices } from '../packages/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { SiteLeases, type SitesServices } from '../sites/index.ts';
import type { UpdatesServices } from '../updates/index.ts';
import type { UptimeServices } from '../uptime/index.ts';
import { ActivationGuard, type ActivatedPlugin } from './activation-guard.ts';
import { GuardFileRemover } from './guard-file-remover.ts';
import { GuardFileSweeper } from './guard-file-sweeper.ts';
import { GuardFileWire } from './guard-file-wire.ts';
import { GuardFiles, type UpdateGuardContext } from './guard-files.ts';
import { guardFilesJob } from './guard-files.job.ts';
import { guardFilesSchedule } from './guard-files.schedule.ts';
import { guardFilesSection } from './guard-files-section.ts';
import { GuardFileSitesReadModel } from './guard-file-sites-read-model.ts';
import { parachuteGuard } from './parachute-guard.ts';

interface GuardFilesPartDeps {
  mail: MailServices;
  packages: PackagesServices;
  settings: SettingsServices;
  sites: SitesServices;
  updates: UpdatesServices;
  uptime: UptimeServices;
}

export function guardFilesPart(
  { knex, clock, child, sealing, queue, config, allowHttpGuards: allowHttp }: Platform,
  { mail: { alerts }, packages: { delivery }, settings: { settings }, sites, updates, uptime }: GuardFilesPartDeps,
) {
  const { calls, childChanges, sync } = sites;
  const wire = new GuardFileWire({ knex, clock, sealing, child, calls, sync, delivery });
  const remover = new GuardFileRemover({ knex, clock, wire, childChanges, alerts });
  const allowedSites = new GuardFileSitesReadModel(knex, () => {
    const { svc_guard_file_sites: siteIds, svc_guard_file_tags: tagIds } = settings.current('general');
    return { siteIds, tagIds };
  });
  const { publicUrl } = config;
  const guardFiles = new GuardFiles({
    ...{ knex, clock, sealing, wire, remover, childChanges, allowedSites, publicUrl, allowHttp },
  });
  updates.guards.add(parachuteGuard(guardFiles));
  const requestHomePage = (siteId: number) =>
    uptime.uptime.uncachedHomePage(siteId, settings.current('general').check_http_response_method);
  const sweeper = new GuardFileSweeper({ knex, clock, wire, remover, guardFiles, requestHomePage });
  const leases = new SiteLeases({ knex, clock, purpose: 'update', leaseMs: config.leaseMs });
  const job = guardFilesJob({ sweeper, leases });
  return definePart({
    name: 'guard-files',
    own: {
      guardFiles,
      activationGuardOf: (site: { id: number; url: string }, plugin: ActivatedPlugin, context: UpdateGuardContext) =>
        new ActivationGuard(guardFiles, site, plugin, context),
    },
    jobs: [job],
    sections: [guardFilesSection],
    schedules: [guardFilesSchedule(queue, job, () => clock.now())],
  });
}

export type GuardFilesServices = OwnOf<typeof guardFilesPart>;
