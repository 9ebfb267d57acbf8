export type { ChildUser, ChildUserProfile, CreatedUser, NewUser, UserPatch } from './child-user.ts';
export type { ImportedRow } from './user-import.ts';
export { parseUserResult } from './user.jobs.ts';
export type { ChildUsersServices } from './part.ts';
