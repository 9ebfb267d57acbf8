/** What HTTP needs from the rest of the product; the container hands it in. */

export type Role = 'administrator' | 'viewer';
export type Scope = 'read' | 'write' | 'read_write';
export type Right = 'read' | 'write' | 'admin';

/** Who calls, and with what. */
export interface Caller {
  userId: number;
  name: string;
  role: Role;
  /** What the credential allows; an application password allows what its user may do. */
  scope: Scope;
  /** Tells credentials apart in limits and logs, e.g. `key:3`. Not a secret. */
  credential: string;
}

export interface CredentialCheck {
  byPassword(user: string, password: string): Promise<Caller | null>;
  byKey(key: string): Promise<Caller | null>;
}

export interface ModuleSwitch {
  isActive(slug: string): Promise<boolean>;
}

/** The right of a call is the lesser of what the credential's scope and the user's role allow. */
export function mayDo(caller: Caller, right: Right): boolean {
  const reads = caller.scope !== 'write';
  const writes = caller.scope !== 'read' && caller.role === 'administrator';
  switch (right) {
    case 'read':
      return reads;
    case 'write':
      return writes;
    case 'admin':
      return reads && writes;
  }
}
