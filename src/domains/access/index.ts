export { AccessService } from './access-service.ts';
export type { FirstCredentials, PresetCredentials } from './first-credentials.ts';
export type { KeyPatch } from './key-repository.ts';
export { ROLES, SCOPES, type Role, type Scope } from '../../shared/caller.ts';
export { callerKeyId, type ApiKey, type User } from './users-and-keys.ts';
export type { AccessServices } from './part.ts';
