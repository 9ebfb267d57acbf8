import type { SecretText } from '../../shared/secret-text.ts';

/** `ajax` is the usual endpoint of the child plugin. It also responds at `front`, the front page (protocol 1.1). */
export type Endpoint = 'ajax' | 'front';

export interface ChildTarget {
  siteId: number | null;
  /** Stored URL with a trailing slash, e.g. `https://example.com/blog/`. */
  url: string;
  /** Credentials for HTTP Basic in front of the site. Sent only to the site's own host. */
  httpAuth: { user: string; pass: string } | null;
  /**
   * True if the call is one of many. It then fails immediately while the circuit breaker pauses the site. Other calls
   * and `register` ignore the pause.
   */
  oneOfMany?: boolean;
  /** True if the call must not store what it learns about the site. */
  reads?: boolean;
  signal?: AbortSignal | undefined;
  /** Called when the call is the next one of the site and has a slot of the scheduler. */
  onTurn?: (() => void) | undefined;
  /**
   * Called right before a call that may change the site is sent. Throws if another process may have taken over the
   * work. Otherwise returns a function that returns true while the call may be sent.
   */
  confirmLease?: (() => Promise<() => boolean>) | undefined;
  endpoint?: Endpoint;
  /** False accepts any certificate, for sites that the operator has marked so. */
  verifyTls: boolean;
  /**
   * Time at which the caller last read the settings for calls, on the scale of `performance.now()`. If that is too long
   * ago, the connector reads them itself.
   */
  rulesSeenAt?: number;
  secrets?: readonly SecretText[];
  /** Missing if the site has no record, because it is not stored yet or was deleted. */
  turn?: SiteTurn;
}

/**
 * Turn of a call at a site. `begin` decides if the call may be sent, because the record of the site may have changed
 * while the call was waiting.
 */
export interface SiteTurn {
  /**
   * Throws, and nothing is sent, if the site must not be called any more. With `isExclusive`, no other process may call
   * the site during the turn. Returns null while another process calls the site.
   */
  begin(options: { isExclusive: boolean }): Promise<BegunTurn | null>;
  hasOtherKey(refusedKeyId: string): Promise<boolean>;
  /**
   * Number of the turn that `begin` has begun last; undefined before the first. Later turns at the site have higher
   * numbers, also those of other objects and processes.
   */
  readonly number: number | undefined;
}

export interface BegunTurn {
  current: Partial<ChildLink>;
  /** Missing if the turn is not exclusive. */
  lock?: SiteCallLock;
}

/** Exclusive right of a process to call a site. It expires if the process dies. */
export interface SiteCallLock {
  /**
   * Returns null if another process may have the right. Otherwise returns a function that is true as long as no other
   * process can have it.
   */
  confirm(): Promise<(() => boolean) | null>;
  release(): Promise<void>;
}

export interface ChildLink extends ChildTarget {
  admin: string;
  /** Dashboard address with which the site was registered. The child compares it exactly. */
  server: string;
  keyId: string;
  /** PKCS#8 PEM. Never logged. */
  privateKeyPem: SecretText;
}

export interface KeyPair {
  keyId: string;
  publicKeyPem: string;
  privateKeyPem: string;
}

export interface KeyPairSource {
  next(): Promise<KeyPair>;
}
