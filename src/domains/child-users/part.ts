import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import type { Needs } from '../../services.ts';
import { ChildUserService } from './child-user-service.ts';
import { FleetUsers } from './fleet-users.ts';
import { UserImport } from './user-import.ts';
import { userJobs } from './user.jobs.ts';

/** The users of the sites. */
export function childUsersPart(
  { knex, child, changeLog, sealing }: Platform,
  { sites, jobs, fleetReads }: Needs<'sites' | 'jobs' | 'fleetReads'>,
) {
  const { selector } = fleetReads;
  const childUsers = new ChildUserService({ knex, child, calls: sites.calls, changeLog });
  const fleetUsers = new FleetUsers({ sealing, selector, runner: jobs.runner });
  return part({
    name: 'child-users',
    own: { childUsers, fleetUsers, userImport: new UserImport({ users: fleetUsers, selector }) },
    jobs: userJobs(childUsers, sealing),
  });
}
