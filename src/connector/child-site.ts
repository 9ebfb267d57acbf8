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

/** Which posts, pages or records of another type a list shows. */
export interface ContentQuery {
  /** Slug of a type, or `any`. */
  type: string;
  /** Statuses, or `any` for all but the trash. */
  statuses: readonly string[];
  /** How many at most, of all statuses together. */
  maximum: number;
  search?: { text: string; where: 'title' | 'content' | 'both' };
  /** First and last day of the last change (`2026-11-21`), in the site's own time. */
  changed?: { from: string; to: string };
}

/** A post, page or record of another type as lists show it. */
export interface ContentEntry {
  id: number;
  type: string;
  status: string;
  title: string;
  commentCount: number;
  /** Nice name of the author; null when that user is gone. */
  author: string | null;
  authorEmail: string | null;
  categories: string[];
  tags: string[];
  /** Milliseconds since 1970: the last change, of a scheduled one the time it is due; null when never dated. */
  modifiedAt: number | null;
  /** Its address; null in lists. */
  link: string | null;
}

export interface GalleryImage {
  id: number;
  src: string;
  title: string;
  alt: string;
  caption: string;
  description: string;
}

/** A post or page as an editor sees it; its texts are exactly those of the site. */
export interface Content {
  id: number;
  type: string;
  status: string;
  title: string;
  content: string;
  excerpt: string;
  name: string;
  password: string;
  /** `2026-11-21 10:57:22` in the site's own time; null when never dated. */
  date: string | null;
  dateGmt: string | null;
  commentStatus: string;
  pingStatus: string;
  sticky: boolean;
  categories: string[];
  tags: string[];
  featuredImage: string | null;
  gallery: GalleryImage[];
  /** A key may have several values; what PHP kept as a structure comes as one. */
  customFields: Map<string, unknown[]>;
}

/** What one post or page may be given; what is absent stays as it is. */
export interface ContentFields {
  title?: string;
  content?: string;
  excerpt?: string;
  status?: string;
  name?: string;
  password?: string;
  commentStatus?: string;
  pingStatus?: string;
  /** Both dates go together. */
  date?: string;
  dateGmt?: string;
  tags?: readonly string[];
}

/** What only the writing of a whole post can set (protocol 4.4). */
export interface ContentExtras {
  /** Names; those that the site lacks are made. */
  categories?: readonly string[];
  /** Address that the site fetches; without it the post has no featured image afterwards. */
  featuredImage?: string | null;
  featuredImageData?: { alt: string; caption: string; description: string; title: string };
  gallery?: readonly GalleryImage[];
  sticky?: true;
}

export interface ContentToWrite extends ContentFields, ContentExtras {
  type: string;
  content: string;
  status: string;
  customFields?: ReadonlyMap<string, string>;
}

export interface ContentWritten {
  id: number;
  status: string | null;
  link: string | null;
}

export type ContentAction = 'publish' | 'unpublish' | 'trash' | 'restore' | 'delete';

export const COMMENT_STATUSES = ['approved', 'pending', 'spam', 'trash'] as const;
export type CommentStatus = (typeof COMMENT_STATUSES)[number];

export type CommentAction = 'approve' | 'unapprove' | 'spam' | 'unspam' | 'trash' | 'restore' | 'delete';

export interface CommentQuery {
  statuses: readonly CommentStatus[];
  /** How many of each status, the newest; an answer may thus hold several times as many. */
  maximum: number;
  /** Part of the comment's text. */
  keyword?: string | undefined;
  /** `YYYY-MM-DD HH:MM:SS` of the site's own clock, exclusive. */
  after?: string | undefined;
  before?: string | undefined;
}

export interface ChildComment {
  id: number;
  status: CommentStatus;
  author: string;
  authorEmail: string | null;
  authorUrl: string | null;
  /** HTML as the visitor wrote it. */
  content: string;
  /** 0 when the child does not say. */
  postId: number;
  postTitle: string;
  /** Milliseconds since 1970; null when the child does not say. */
  at: number | null;
}

/** Roles that every WordPress has; a site may know more. */
export const USER_ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const;
export type UserRole = (typeof USER_ROLES)[number];

/** A user of the site, as its lists show one. */
export interface ChildUser {
  id: number;
  login: string;
  displayName: string;
  email: string;
  /** The first one; '' for a user without a role. */
  role: string;
  posts: number;
  /** Milliseconds since 1970; null when the child does not say. */
  registeredAt: number | null;
}

/** A user of the site, as its editor shows one. */
export interface ChildUserProfile {
  id: number;
  email: string;
  role: string;
  firstName: string;
  lastName: string;
  nickname: string;
  displayName: string;
  url: string;
  description: string;
}

export interface UserSearch {
  /** `*` at either end stands for anything. */
  search: string;
  columns: readonly ('user_login' | 'display_name' | 'user_email')[];
  roles?: readonly UserRole[] | undefined;
}

export interface NewChildUser {
  login: string;
  email: string;
  /** Used once, never stored and never logged. */
  password: string;
  role: UserRole;
  firstName: string;
  lastName: string;
  url: string;
}

/** What is undefined stays as it is; the child cannot empty a field. */
export interface ChildUserPatch {
  email?: string | undefined;
  password?: string | undefined;
  role?: UserRole | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  nickname?: string | undefined;
  displayName?: string | undefined;
  url?: string | undefined;
  description?: string | undefined;
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
  /** Newest first, at most `maximum`. */
  listContent(link: ChildLink, query: ContentQuery): Promise<ContentEntry[]>;
  /** One of them by its ID, with its address; null when there is none of this type (`any` for all that can be searched for). */
  contentEntry(link: ChildLink, id: number, type: string): Promise<ContentEntry | null>;
  /** Null when there is none. The child marks it as being edited by the connected administrator for some minutes. */
  readContent(link: ChildLink, id: number): Promise<Content | null>;
  /** Writes a new one. */
  createContent(link: ChildLink, content: ContentToWrite): Promise<ContentWritten>;
  /**
   * Writes a post whole. What is absent stays, but the featured image: that goes, unless it is sent again. `author` is the
   * user it stays with. Throws `svc_post_locked` while somebody else edits it.
   */
  rewriteContent(link: ChildLink, id: number, content: ContentToWrite, author: string | null): Promise<ContentWritten>;
  /** Changes the fields that are given, and no other; `resetCategories` leaves it in the default one. False when it is gone. */
  updateContent(link: ChildLink, id: number, fields: ContentFields, resetCategories?: boolean): Promise<boolean>;
  /** Sets custom fields to one value each. False when it is gone. */
  updateCustomFields(link: ChildLink, id: number, values: ReadonlyMap<string, string>): Promise<boolean>;
  /** False when it is gone. A claim, not a proof. */
  contentAction(link: ChildLink, id: number, action: ContentAction): Promise<boolean>;
  /** Grouped by status in the order asked for, newest first within each. */
  comments(link: ChildLink, query: CommentQuery): Promise<ChildComment[]>;
  /**
   * The child claims success whatever came of it, and dies on approving or unapproving a comment that is gone: those that
   * come after it are then not done.
   */
  commentAction(link: ChildLink, action: CommentAction, ids: readonly number[]): Promise<void>;
  /** Users with any of these roles. */
  users(link: ChildLink, roles: readonly UserRole[]): Promise<ChildUser[]>;
  searchUsers(link: ChildLink, search: UserSearch): Promise<ChildUser[]>;
  /** Null when the site has no such user. */
  userProfile(link: ChildLink, id: number): Promise<ChildUserProfile | null>;
  /**
   * This one and the next three change a user. What WordPress refuses throws `svc_site_user_refused`; success is a claim, not a
   * proof.
   */
  createUser(link: ChildLink, user: NewChildUser, mailPassword: boolean): Promise<void>;
  updateUser(link: ChildLink, id: number, patch: ChildUserPatch): Promise<void>;
  /** Its posts pass to the administrator that we are connected as. */
  deleteUser(link: ChildLink, id: number): Promise<void>;
  /** The password of the administrator that we are connected as. */
  setAdminPassword(link: ChildLink, password: string): Promise<void>;
  /** Tells the child to switch itself off and forget us. */
  deactivate(link: ChildLink): Promise<void>;
  /** Drops what is kept in memory for a site: cookies, parsed keys, breaker state. */
  forget(siteId: number): void;
}

/** Makes key pairs off the main thread. */
export interface KeyPairSource {
  next(): Promise<KeyPair>;
}
