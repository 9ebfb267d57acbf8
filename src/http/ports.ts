import type { Caller } from '../shared/caller.ts';

export interface CredentialCheck {
  byPassword(user: string, password: string): Promise<Caller | null>;
  byKey(key: string): Promise<Caller | null>;
  /** True if a caller that was returned before is still known to be allowed. Records the use. Runs no SQL statement. */
  isStillAllowed(caller: Caller): boolean;
}

export interface ModuleStatus {
  isActive(slug: string): Promise<boolean>;
}
