import type { Caller } from '../shared/caller.ts';

export type Permission = 'read' | 'write' | 'admin';

export interface CredentialCheck {
  byPassword(user: string, password: string): Promise<Caller | null>;
  byKey(key: string): Promise<Caller | null>;
  /** True if a caller that was returned before is still known to be allowed. Records the use. Runs no SQL statement. */
  isStillAllowed(caller: Caller): boolean;
}

export interface ModuleStatus {
  isActive(slug: string): Promise<boolean>;
}

/**
 * True if the caller may make a call that requires `right`. The lower one of the credential's scope and the user's role
 * counts.
 */
export function hasPermission(caller: Caller, right: Permission): boolean {
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
