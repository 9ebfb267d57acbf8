/**
 * What the rest of the product knows of a child site: addresses, keys and typed answers.
 *
 * Domains depend on this file alone. Everything that comes back has been size-limited, strictly decoded and bounded, but its
 * texts remain hostile: never HTML, never SQL, never a path.
 *
 * Every method throws `ChildUnreachableError`, `ChildRefusedError` or `ChildBadAnswerError` (shared/errors), and
 * `InvalidError('svc_address_refused')` when the address may not be dialled.
 */

/** Where a site is and how to get through to it. */
export interface ChildTarget {
  /** Null before the site has a record; calls are then scheduled by address alone. */
  siteId: number | null;
  /** Stored URL with a trailing slash, e.g. `https://example.com/blog/`. */
  url: string;
  /** HTTP Basic in front of the site; sent to the site's own host only. */
  httpAuth: { user: string; pass: string } | null;
  /** False accepts any certificate; for sites that the operator marked so. */
  verifyTls: boolean;
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

export interface SyncRequest {
  /** Days without an update after which the child lists an item as abandoned. */
  abandonedAfterDays: number;
  /** Highest `created` (float seconds) of the child's action log that is already stored; 0 = from the start. */
  actionsSince: number;
  /** Whole seconds of the newest entry of the changes log that is already stored; 0 = from the start. */
  changesSince: number;
  /** How many entries of the changes log one answer may bring. */
  changesLimit: number;
}

export interface ChildPlugin {
  slug: string;
  name: string;
  version: string;
  active: boolean;
  mustUse: boolean;
  /** The child plugin itself, which must stay active. */
  isChildPlugin: boolean;
}

export interface ChildTheme {
  slug: string;
  name: string;
  version: string;
  active: boolean;
  /** Parent of the active theme; it cannot be deleted. */
  parentOfActive: boolean;
}

export type UpdateType = 'core' | 'plugin' | 'theme' | 'translation';

export interface ChildUpdate {
  type: UpdateType;
  /** Plugin file, stylesheet, translation slug, or `wordpress`. */
  slug: string;
  name: string;
  currentVersion: string;
  newVersion: string;
}

export interface AbandonedItem {
  kind: 'plugin' | 'theme';
  slug: string;
  name: string;
  version: string;
  /** Milliseconds since 1970. */
  lastUpdatedAt: number;
}

export const SECURITY_FLAGS = [
  'db_reporting',
  'php_reporting',
  'wp_uptodate',
  'phpversion_matched',
  'sslprotocol',
  'debug_disabled',
  'sec_outdated_plugins',
  'sec_inactive_plugins',
  'sec_outdated_themes',
  'sec_inactive_themes',
] as const;
export type SecurityFlag = (typeof SECURITY_FLAGS)[number];
export type SecurityValue = 'Y' | 'N' | 'Y_UNABLE' | 'N_UNABLE';

/** One line of either log that the child keeps. */
export interface ChildLogEntry {
  source: 'child_actions' | 'child_changes';
  /** The child's own identifier within that log. */
  externalId: string;
  /** Milliseconds since 1970. */
  at: number;
  context: string;
  action: string;
  summary: string;
  user: string;
  /** Float seconds of the action log, for the next `actionsSince`; null in the changes log. */
  cursor: number | null;
}

/** A part that the child did not send (switched off, or an older plugin) is undefined: what is stored then stays. */
export interface ChildStats {
  childVersion: string;
  wpVersion: string | null;
  phpVersion: string | null;
  siteUrl: string | null;
  activeThemeName: string | null;
  plugins?: ChildPlugin[];
  themes?: ChildTheme[];
  updates?: ChildUpdate[];
  abandoned?: AbandonedItem[];
  security?: Partial<Record<SecurityFlag, SecurityValue>>;
  health?: { good: number; recommended: number; critical: number };
  logs?: ChildLogEntry[];
  /** True when the changes log had more than `changesLimit` entries left. */
  moreChanges: boolean;
  /** A fresh reconnect token, when one was asked for. */
  regverify: string | null;
}

/** Outcome of an action on plugins or themes: what the child claims, and the state that it read back. */
export interface ItemActionAnswer {
  /** Slugs that the child says it worked on. A claim, not a proof. */
  claimed: string[];
  /** Slugs that the child refused, with its reason. */
  refused: { slug: string; reason: 'active_theme' | 'parent_of_active_theme' }[];
  /** State after the action, from the same answer; undefined when the child sent none. */
  after?: ChildStats;
}

/** What the child says came of one update. A claim, not a proof. */
export interface UpgradeClaim {
  slug: string;
  success: boolean;
  /** '' when nothing was unpacked: it was current already, or the download failed. */
  oldVersion: string;
  /** The version that the child says is installed now; '' when it names none. */
  version: string;
  /** WordPress' own code of the failure, e.g. `download_failed`. */
  errorCode: string | null;
}

export interface UpgradeAnswer {
  /** An item that is missing was passed over. */
  claims: UpgradeClaim[];
  /** State after the updates, from the same answer; undefined when the child sent none. */
  after?: ChildStats;
}

export interface ChildSite {
  probe(target: ChildTarget, admin: string): Promise<Probe>;
  /** Registers a public key. The link is good only after this returned; see `verifyKey` for an answer that was lost. */
  register(target: ChildTarget, registration: Registration): Promise<Registered>;
  /** A signed call that changes nothing: true when the child accepts this key, false when it refuses it. */
  verifyKey(link: ChildLink): Promise<boolean>;
  stats(link: ChildLink, request: SyncRequest): Promise<ChildStats>;
  /** Asks for a reconnect token; null when the child made none. */
  renewToken(link: ChildLink): Promise<string | null>;
  pluginAction(
    link: ChildLink,
    action: 'activate' | 'deactivate' | 'delete',
    slugs: readonly string[],
  ): Promise<ItemActionAnswer>;
  themeAction(link: ChildLink, action: 'activate' | 'delete', slugs: readonly string[]): Promise<ItemActionAnswer>;
  /** Updates WordPress itself; its claim goes by the slug `wordpress`. */
  upgradeCore(link: ChildLink): Promise<UpgradeAnswer>;
  upgradePlugins(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
  upgradeThemes(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
  /** All languages of a slug go together. */
  upgradeTranslations(link: ChildLink, slugs: readonly string[]): Promise<UpgradeAnswer>;
  /** Tells the child to switch itself off and forget us. */
  deactivate(link: ChildLink): Promise<void>;
  /** Drops what is kept in memory for a site: cookies, parsed keys, breaker state. */
  forget(siteId: number): void;
}

/** Makes key pairs off the main thread. */
export interface KeyPairSource {
  next(): Promise<KeyPair>;
}
