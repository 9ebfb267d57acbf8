export { AccessService } from './access-service.ts';
export type { FirstCredentials, PresetCredentials } from './first-credentials.ts';
export type { KeyUsageDay } from './key-usage-read-model.ts';
export type { KeyPatch } from './key-repository.ts';
export { SCOPES, type Scope } from '../../shared/permissions.ts';
export type { Role } from './roles.ts';
export { RoleService, type NewRole, type RolePatch, type RoleWithUsers } from './role-service.ts';
export type { ApiKey, CredentialRecord, User, UserPatch } from './users-and-keys.ts';
export type { AccessServices } from './part.ts';
