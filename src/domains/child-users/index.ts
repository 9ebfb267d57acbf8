export { ChildUserService, type EditedUser, type UserQuery } from './child-user-service.ts';
export type { ChildUser, ChildUserProfile, CreatedUser, NewUser, UserPatch } from './child-user.ts';
export { FleetUsers } from './fleet-users.ts';
export { UserImport, type ImportedRow } from './user-import.ts';
export { placedUser, type PlacedUser } from './user.jobs.ts';
export type { ChildUsersServices } from './services.ts';
