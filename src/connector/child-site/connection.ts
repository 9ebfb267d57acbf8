import type { ChildStats } from './stats.ts';
import type { ChildLink, ChildTarget } from './target.ts';

export interface Registration {
  admin: string;
  server: string;
  publicKeyPem: string;
  /** WordPress password of `admin`. Used once, never stored. */
  password: string | null;
  uniqueId: string | null;
  regverify: string | null;
}

export interface RegistrationResult {
  uniqueId: string | null;
  /** New token for the next reconnect; null if the child created none and the old one stays valid. */
  regverify: string | null;
  /** URL that the child reports for itself, without a trailing slash. */
  siteUrl: string | null;
  stats: ChildStats;
}

export type ConnectionProbe =
  | { state: 'unconnected'; childVersion: string; wpVersion: string }
  | { state: 'connected' }
  | { state: 'plugin_missing' };

export interface ConnectionCalls {
  probe(target: ChildTarget, admin: string): Promise<ConnectionProbe>;
  /**
   * Registers a public key. After that, the child accepts signed calls. If the response is lost, `verifyKey` shows if
   * the child has stored the key.
   */
  register(target: ChildTarget, registration: Registration): Promise<RegistrationResult>;
  verifyKey(link: ChildLink): Promise<boolean>;
  renewToken(link: ChildLink): Promise<string | null>;
  /** Deletes the key on the child, so that it can be registered again. The plugin stays active. */
  disconnect(link: ChildLink): Promise<void>;
  /** Makes the child plugin deactivate itself and delete its connection. */
  deactivate(link: ChildLink): Promise<void>;
  resetBreaker(siteId: number): void;
  forget(siteId: number): void;
}
