export type { EditedUser, UserQuery } from './child-user-service.ts';
export type { ChildUser, ChildUserProfile, CreatedUser, NewUser, UserPatch } from './child-user.ts';
export type { ImportedRow } from './user-import.ts';
export { placedUser, type PlacedUser } from './user.jobs.ts';
export type { ChildUsersServices } from './services.ts';
