export { ChildUserService, type EditedUser, type UserQuery } from './child-user-service.ts';
export type { ChildUser, ChildUserProfile, NewUser, UserPatch } from './child-user.ts';
export { FleetUsers } from './fleet-users.ts';
export { UserImport, type ImportedRow } from './user-import.ts';
export { userJobs, type CreatedUser } from './user.jobs.ts';
