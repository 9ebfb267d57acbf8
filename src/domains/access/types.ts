export const ROLES = ['administrator', 'viewer'] as const;
/** Administrators do everything, viewers read. */
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'read_write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface User {
  id: number;
  name: string;
  role: Role;
  enabled: boolean;
  createdAt: number;
}

export interface ApiKey {
  id: number;
  userId: number;
  userName: string;
  label: string;
  /** The last characters of the key, so that a person can tell keys apart. */
  hint: string;
  scope: Scope;
  enabled: boolean;
  expiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
}

/** Who calls, as a credential proves it. */
export interface Caller {
  userId: number;
  name: string;
  role: Role;
  scope: Scope;
  /** Tells credentials apart in limits and logs, e.g. `key:3`. Not a secret. */
  credential: string;
}

/** The API key by which somebody calls; null for a password. */
export const keyIdOf = ({ credential }: Pick<Caller, 'credential'>): number | null =>
  credential.startsWith('key:') ? Number(credential.slice('key:'.length)) : null;
