import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { FleetReadsServices } from '../fleet-reads/index.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { PinsServices } from '../pins/index.ts';
import { SiteLeases, type SitesServices } from '../sites/index.ts';
import type { UpdatesServices } from '../updates/index.ts';
import type { UptimeServices } from '../uptime/index.ts';
import { AutomaticPackages } from './automatic-packages.ts';
import { FleetInstalls } from './fleet-installs.ts';
import { FleetRollbacks } from './fleet-rollbacks.ts';
import { rollbackJob } from './rollback.job.ts';
import { INSTALL_JOB_KIND, installJob, type InstallJobInput } from './install.job.ts';
import { InstallStore } from './install-store.ts';
import { PackageDelivery } from './package-delivery.ts';
import { PackageDirectory } from './package-directory.ts';
import { PackageFiles } from './package-files.ts';
import { PackageInstaller } from './package-installer.ts';
import { PackageLocator } from './package-locator.ts';
import { DownloadReachability } from './download-reachability.ts';
import { PackageService } from './package-service.ts';
import { UpdatePackages } from './update-packages.ts';

const PRUNED_AT_ONCE = 500;

interface PackagesPartDeps {
  changes: ChangesServices;
  fleetReads: FleetReadsServices;
  jobs: JobsServices;
  pins: PinsServices;
  sites: SitesServices;
  updates: UpdatesServices;
  uptime: UptimeServices;
}

export function packagesPart(
  { knex, clock, outbound, child, config, deadlines }: Platform,
  {
    changes,
    fleetReads: { selector },
    jobs: { jobs, looks: retries, runner },
    pins,
    sites,
    updates,
    uptime,
  }: PackagesPartDeps,
) {
  const { folder, directoryUrl: baseUrl, quotaBytes } = config.packages;
  const directory = new PackageDirectory({ outbound, baseUrl, deadlineMs: deadlines.packageMs });
  const packages = new PackageService({
    knex,
    clock,
    changeLog: changes.changeLog,
    files: new PackageFiles(folder),
    directory,
    quotaBytes,
    reserved: async () => {
      const waiting = (await jobs.underWay(INSTALL_JOB_KIND)).map(({ input }) => (input as InstallJobInput).packageId);
      const sent = await new InstallStore(knex).unfinishedPackages();
      return new Set([...(await updates.plannedPackages.ids()), ...waiting, ...sent]);
    },
  });
  const { calls, childChanges, sync } = sites;
  const delivery = new PackageDelivery({ knex, clock, packages, publicUrl: config.publicUrl });
  const reach = new DownloadReachability({ knex, clock, child, calls, delivery });
  const leases = new SiteLeases({ knex, clock, purpose: 'update', leaseMs: config.leaseMs });
  const installer = new PackageInstaller({
    ...{ knex, clock, child, calls, sync, childChanges, leases, packages, delivery, reach },
    ownUpdates: uptime.ownUpdates,
  });
  const locator = new PackageLocator(directory);
  updates.guards.usePackages(new UpdatePackages({ child, sync, packages, delivery, locator, reach, ...pins }));
  const job = installJob({ installer, packages, retries });
  const rollback = rollbackJob({ knex, installer, packages, retries, ...pins });
  return definePart({
    name: 'packages',
    own: {
      packages,
      delivery,
      reach,
      automaticPackages: new AutomaticPackages({ knex, packages }),
      installs: new FleetInstalls({ selector, runner, packages, job }),
      rollbacks: new FleetRollbacks({ selector, runner, job: rollback }),
    },
    jobs: [job, rollback],
    retentions: [
      { name: 'packages', prune: () => packages.pruneUnused() },
      { name: 'package-files', prune: () => packages.pruneFiles() },
      { name: 'package-deliveries', prune: () => delivery.prune(PRUNED_AT_ONCE) },
    ],
  });
}

export type PackagesServices = OwnOf<typeof packagesPart>;
