export type { ChildUser, ChildUserProfile, CreatedUser, NewUser, UserPatch } from './child-user.ts';
export type { ImportedRow } from './user-import.ts';
export { userResult } from './user.jobs.ts';
export type { ChildUsersServices } from './part.ts';
