import type { Caller } from '../shared/caller.ts';

/** What HTTP needs from the rest of the product; the container hands it in. */

export type Permission = 'read' | 'write' | 'admin';

export interface CredentialCheck {
  byPassword(user: string, password: string): Promise<Caller | null>;
  byKey(key: string): Promise<Caller | null>;
}

export interface ModuleSwitch {
  isActive(slug: string): Promise<boolean>;
}

/** The right of a call is the lesser of what the credential's scope and the user's role allow. */
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
