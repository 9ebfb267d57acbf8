import type { ChildStats } from './stats.ts';
import type { ChildLink, ChildTarget } from './target.ts';

export interface Registration {
  admin: string;
  server: string;
  publicKeyPem: string;
  /** The WordPress password of `admin`; used once, never stored. */
  password: string | null;
  uniqueId: string | null;
  /** The token that an earlier registration returned; stands in for the password. */
  regverify: string | null;
}

export interface Registered {
  uniqueId: string | null;
  /** A new token, when the child made one; null means that the old one stays good. */
  regverify: string | null;
  /** Address as the child itself states it, without trailing slash. */
  siteUrl: string | null;
  stats: ChildStats;
}

/** What an unsigned hello finds. */
export type Probe =
  | { state: 'unconnected'; childVersion: string; wpVersion: string }
  | { state: 'connected' }
  | { state: 'plugin_missing' };

export interface ConnectionCalls {
  probe(target: ChildTarget, admin: string): Promise<Probe>;
  /** Registers a public key. The link is good only after this returned; see `verifyKey` for an answer that was lost. */
  register(target: ChildTarget, registration: Registration): Promise<Registered>;
  /** A signed call that changes nothing: true when the child accepts this key, false when it refuses it. */
  verifyKey(link: ChildLink): Promise<boolean>;
  /** Asks for a reconnect token; null when the child made none. */
  renewToken(link: ChildLink): Promise<string | null>;
  /** Clears the key, so that the child can be registered anew; it stays active. */
  disconnect(link: ChildLink): Promise<void>;
  /** Tells the child to switch itself off and forget us. */
  deactivate(link: ChildLink): Promise<void>;
  /** Its web server answers: calls to it are no longer held back. */
  revive(siteId: number): void;
  /** Drops what is kept in memory for a site: cookies, parsed keys, breaker state. */
  forget(siteId: number): void;
}
