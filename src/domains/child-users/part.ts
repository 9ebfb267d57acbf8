import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { FleetReadsServices } from '../fleet-reads/index.ts';
import type { JobsServices } from '../jobs/index.ts';
import type { SitesServices } from '../sites/index.ts';
import { ChildUserService } from './child-user-service.ts';
import { FleetUserChanges } from './fleet-user-changes.ts';
import { UserImport } from './user-import.ts';
import { userJobs } from './user.jobs.ts';

interface ChildUsersPartDeps {
  fleetReads: FleetReadsServices;
  jobs: JobsServices;
  sites: SitesServices;
}

export function childUsersPart({ knex, child, sealing }: Platform, { sites, jobs, fleetReads }: ChildUsersPartDeps) {
  const { selector } = fleetReads;
  const childUsers = new ChildUserService({ knex, child, calls: sites.calls, childChanges: sites.childChanges });
  const kinds = userJobs(childUsers, sealing);
  const fleetUsers = new FleetUserChanges({ selector, runner: jobs.runner, jobs: kinds });
  return definePart({
    name: 'child-users',
    own: { childUsers, fleetUsers, userImport: new UserImport({ users: fleetUsers, selector }) },
    jobs: Object.values(kinds),
  });
}

export type ChildUsersServices = OwnOf<typeof childUsersPart>;
