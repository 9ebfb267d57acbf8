import type { Caller } from '../shared/caller.ts';

export interface CredentialCheck {
  byPassword(user: string, password: string): Promise<Caller | null>;
  byKey(key: string): Promise<Caller | null>;
  /**
   * True if a caller that `byPassword` or `byKey` returned a short time ago may still call. Records the use. Runs no
   * SQL statement.
   */
  isStillAllowed(caller: Caller): boolean;
}

export interface ModuleStatus {
  isActive(slug: string): Promise<boolean>;
}
