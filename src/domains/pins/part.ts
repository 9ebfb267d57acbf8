import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { FleetReadsServices } from '../fleet-reads/index.ts';
import type { JobsServices } from '../jobs/index.ts';
import { SiteLeases, type SitesServices } from '../sites/index.ts';
import { AutoUpdateSwitch } from './auto-update-switch.ts';
import { pinAutoUpdates } from './pin-auto-updates.schedule.ts';
import { PinFleet } from './pin-fleet.ts';
import { PinReadModel } from './pin-read-model.ts';
import { PinService } from './pin-service.ts';
import { pinJobs } from './pin.jobs.ts';

interface PinsPartDeps {
  changes: ChangesServices;
  fleetReads: FleetReadsServices;
  jobs: JobsServices;
  sites: SitesServices;
}

export function pinsPart(
  { knex, clock, child, queue, config }: Platform,
  { changes, fleetReads, jobs, sites }: PinsPartDeps,
) {
  const autoUpdates = new AutoUpdateSwitch({ child, ...sites });
  const leases = new SiteLeases({ knex, clock, purpose: 'pin', leaseMs: config.leaseMs });
  const pins = new PinService({ knex, clock, ...changes, autoUpdates, leases });
  const kinds = pinJobs({ knex, clock, pins });
  const pinReadModel = new PinReadModel(knex);
  return definePart({
    name: 'pins',
    own: {
      pins,
      pinReadModel,
      pinFleet: new PinFleet({ ...fleetReads, ...jobs, pins: pinReadModel, jobs: kinds }),
    },
    jobs: Object.values(kinds),
    schedules: [pinAutoUpdates(queue, kinds)],
    start: async ({ alone }) => {
      if (alone) await leases.expireStale();
    },
    deletionCounts: [{ of: 'site', effect: 'pins', table: 'version_pins', column: 'site_id' }],
  });
}

export type PinsServices = OwnOf<typeof pinsPart>;
