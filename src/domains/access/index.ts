export { AccessService, type KeyChange, type NewApiKey } from './access-service.ts';
export type { FirstCredentials, Preset } from './first-credentials.ts';
export type { KeyPatch } from './key-repository.ts';
export { keyIdOf, ROLES, SCOPES, type ApiKey, type Caller, type Role, type Scope, type User } from './types.ts';
export type { AccessServices } from './services.ts';
