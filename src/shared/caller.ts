export const ROLES = ['administrator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const SCOPES = ['read', 'write', 'read_write'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Caller {
  userId: number;
  name: string;
  role: Role;
  /** Rights of the credential. An application password has the rights of its user. */
  scope: Scope;
  /** Identifies the credential in limits and logs, for example `key:3`. Not secret. */
  credential: string;
}
