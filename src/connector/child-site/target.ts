/** `ajax` is the usual address of the child plugin, `front` the front page, where it answers as well (protocol 1.1). */
export type Endpoint = 'ajax' | 'front';

/** Where a site is and how to get through to it. */
export interface ChildTarget {
  /** Null before the site has a record; calls are then scheduled by address alone. */
  siteId: number | null;
  /** Stored URL with a trailing slash, e.g. `https://example.com/blog/`. */
  url: string;
  /** HTTP Basic in front of the site; sent to the site's own host only. */
  httpAuth: { user: string; pass: string } | null;
  /**
   * The call is one of many: it fails at once while the site is being paused, after it failed to answer several times.
   */
  oneOfMany?: boolean;
  /** Nothing that is learnt of the site on the way is stored. */
  reads?: boolean;
  /** Ends calls to the site, whether they wait or are under way: whoever asked does not wait for them any longer. */
  signal?: AbortSignal | undefined;
  /** The address at which the site last answered, where it is known not to be the usual one. */
  endpoint?: Endpoint;
  /** False accepts any certificate; for sites that the operator marked so. */
  verifyTls: boolean;
  /**
   * When the rules of calls were looked at for what calls now, on the scale of `performance.now()`; the connector looks
   * by itself where that is longer ago.
   */
  rulesSeenAt?: number;
  /** What else of the site's record is secret, so that nothing the site says can give it back. */
  secrets?: readonly string[];
}

/** A target that we hold a key for. */
export interface ChildLink extends ChildTarget {
  /** Login name of the administrator that the site was connected with. */
  admin: string;
  /** The dashboard address this site was registered with; the child compares it exactly. */
  server: string;
  /** Identifies the key pair, so that a parsed key can be kept between calls. */
  keyId: string;
  /** PKCS#8 PEM. Never logged. */
  privateKeyPem: string;
}

export interface KeyPair {
  keyId: string;
  publicKeyPem: string;
  privateKeyPem: string;
}

/** Makes key pairs off the main thread. */
export interface KeyPairSource {
  next(): Promise<KeyPair>;
}
