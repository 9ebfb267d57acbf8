import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ChangesServices } from '../changes/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { BucketService } from './bucket-service.ts';
import { TrackedClientService } from './tracked-client-service.ts';
import { OwnerLockRepository } from './owner-lock-repository.ts';
import { TaskService } from './task-service.ts';
import { TimerService } from './timer-service.ts';
import { whereBucketInScope, whereTaskInScope } from './tracker-scope-read-model.ts';
import { TrackerUnitOfWork } from './tracker-unit-of-work.ts';

interface TimeTrackerPartDeps {
  changes: ChangesServices;
  settings: SettingsServices;
}

export function timeTrackerPart({ knex, clock }: Platform, { changes: { changeLog }, settings }: TimeTrackerPartDeps) {
  const tracker = new TrackerUnitOfWork({ knex, clock, changeLog, ...settings });
  return definePart({
    name: 'time-tracker',
    deletionCounts: [
      { of: 'site', effect: 'tasks', table: 'time_tasks', column: 'site_id' },
      {
        of: 'client',
        effect: 'tasks',
        table: 'time_tasks',
        column: 'client_id',
        whereVisible: (db, rows, { sites }) => whereTaskInScope(db, rows, sites),
      },
      {
        of: 'client',
        effect: 'buckets',
        table: 'time_bucket_clients',
        column: 'client_id',
        whereVisible: (db, rows, { sites }) => whereBucketInScope(db, rows, sites, 'time_bucket_clients.bucket_id'),
      },
      { of: 'client', effect: 'tracker_settings', table: 'time_client_settings', column: 'client_id' },
    ],
    own: {
      tasks: new TaskService(tracker),
      timers: new TimerService(tracker),
      buckets: new BucketService(tracker),
      clientTime: new TrackedClientService(tracker),
    },
    onSiteDeleted: [(trx, siteId) => new OwnerLockRepository(trx).detachSite(siteId)],
    onClientDeleted: [(trx, clientId) => new OwnerLockRepository(trx).storeClientName(clientId)],
  });
}

export type TimeTrackerServices = OwnOf<typeof timeTrackerPart>;
