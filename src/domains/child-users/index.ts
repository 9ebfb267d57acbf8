export { ChildUserService, type FleetChange, type UserQuery } from './child-user-service.ts';
export type { ChildUser, ChildUserProfile, NewUser, UserOnSite, UserPatch } from './child-user.ts';
export { SiteChanges } from './site-changes.ts';
export { UserImport, type ImportedRow } from './user-import.ts';
