import type { FleetUpdates } from './fleet-updates.ts';
import type { IgnoredUpdatesReadModel } from './ignored-updates-read-model.ts';
import type { IgnoredUpdates } from './ignored-updates.ts';
import type { SiteUpdater } from './site-updater.ts';
import type { UpdateReadModel } from './update-read-model.ts';

export interface UpdatesServices {
  updater: SiteUpdater;
  updateReadModel: UpdateReadModel;
  fleetUpdates: FleetUpdates;
  ignoredUpdates: IgnoredUpdates;
  ignoredUpdatesReadModel: IgnoredUpdatesReadModel;
}
