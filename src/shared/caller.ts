export const ROLES = ['administrator', 'viewer'] as const;
/** Administrators do everything, viewers read. */
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'read_write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who calls, as a credential proves it. */
export interface Caller {
  userId: number;
  name: string;
  role: Role;
  /** What the credential allows; an application password allows what its user may do. */
  scope: Scope;
  /** Tells credentials apart in limits and logs, e.g. `key:3`. Not a secret. */
  credential: string;
}
