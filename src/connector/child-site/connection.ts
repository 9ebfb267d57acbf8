import type { ChildStats } from './stats.ts';
import type { ChildLink, ChildTarget } from './target.ts';

export interface Registration {
  admin: string;
  server: string;
  publicKeyPem: string;
  /** WordPress password of `admin`. Used once, never stored. */
  password: string | null;
  uniqueId: string | null;
  /** Token from an earlier registration, used instead of the password. */
  regverify: string | null;
}

export interface Registered {
  uniqueId: string | null;
  /** New token; null if the child created none and the old one stays valid. */
  regverify: string | null;
  /** URL that the child reports for itself, without a trailing slash. */
  siteUrl: string | null;
  stats: ChildStats;
}

/** Result of an unsigned `stats` call. */
export type Probe =
  | { state: 'unconnected'; childVersion: string; wpVersion: string }
  | { state: 'connected' }
  | { state: 'plugin_missing' };

export interface ConnectionCalls {
  probe(target: ChildTarget, admin: string): Promise<Probe>;
  /** Registers a public key. The link is valid only after this returns. If the response is lost, use `verifyKey`. */
  register(target: ChildTarget, registration: Registration): Promise<Registered>;
  /** Sends a signed call that changes nothing. Returns false if the child refuses the key. */
  verifyKey(link: ChildLink): Promise<boolean>;
  /** Requests a reconnect token. Returns null if the child created none. */
  renewToken(link: ChildLink): Promise<string | null>;
  /** Deletes the key on the child, so that it can be registered again. The plugin stays active. */
  disconnect(link: ChildLink): Promise<void>;
  /** Makes the child plugin deactivate itself and delete its connection. */
  deactivate(link: ChildLink): Promise<void>;
  /** Ends the pause of a site's circuit breaker, because its web server responds. */
  resetBreaker(siteId: number): void;
  /** Deletes the in-memory data of a site: cookies, parsed keys, endpoint and circuit breaker state. */
  forget(siteId: number): void;
}
