import type { ChildUserService } from './child-user-service.ts';
import type { FleetUsers } from './fleet-users.ts';
import type { UserImport } from './user-import.ts';

export interface ChildUsersServices {
  childUsers: ChildUserService;
  fleetUsers: FleetUsers;
  userImport: UserImport;
}
