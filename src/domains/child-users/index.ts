export type { ChildUser, ChildUserProfile, SiteUserCreationResult, NewUser, UserPatch } from './child-user.ts';
export type { ImportedRow } from './user-import.ts';
export { parseUserCreationJobResult } from './user.jobs.ts';
export type { ChildUsersServices } from './part.ts';
