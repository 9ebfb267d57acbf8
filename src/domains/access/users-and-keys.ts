import type { SiteLimit } from '../../shared/site-scope.ts';
import type { Scope } from '../../shared/permissions.ts';

export interface User {
  id: number;
  name: string;
  role: string;
  enabled: boolean;
  /** Null if the user may see all sites. */
  siteLimit: SiteLimit | null;
  createdAt: number;
}

export type UserPatch = Partial<Pick<User, 'role' | 'enabled' | 'siteLimit'>>;

export interface ApiKey {
  id: number;
  userId: number;
  userName: string;
  label: string;
  hint: string;
  scope: Scope;
  enabled: boolean;
  expiresAt: number | null;
  /** Networks in canonical form. Null if all addresses are allowed. */
  allowedAddresses: string[] | null;
  /** Calls per minute. Null if the general limit of the service applies. */
  rateLimit: number | null;
  /** Limits the key further than its user. Null if the key has all sites of its user. */
  siteLimit: SiteLimit | null;
  /**
   * ID of the key that made this one, if that key could access only some sites. This key can access only sites that the
   * other one can still access, and none if the other one is disabled, expired or deleted.
   */
  limitedByKeyId: number | null;
  /** Time until which the token from before the last rotation works. It can be past. Null if no such token was kept. */
  previousExpiresAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface CredentialRecord {
  kind: 'api_key' | 'application_password';
  id: number;
  label: string;
  /** Null for an application password. */
  hint: string | null;
  scope: Scope;
  expiresAt: number | null;
  allowedAddresses: string[] | null;
  lastUsedAt: number | null;
}
