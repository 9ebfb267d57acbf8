/**
 * What a simulated site holds. Plain data: operations change it, `SimulatedSite` decides when an answer made of it is
 * stale.
 */

/** What every site running one plugin or theme shares, kept once for the whole fleet. */
export interface PluginDefinition {
  file: string;
  name: string;
  description: string;
  author: string;
  /** Released versions, oldest first; an update leads to the last one. */
  versions: readonly string[];
  requiresPhp: string;
  /** Days since the directory's last release: old ones count as abandoned (protocol 4.1). */
  ageDays: number;
}

export interface ThemeDefinition {
  stylesheet: string;
  name: string;
  description: string;
  versions: readonly string[];
  ageDays: number;
  /** Stylesheet of the parent, for a child theme. */
  parent?: string;
}

export interface Plugin {
  definition: PluginDefinition;
  version: string;
  active: boolean;
  /** Version offered as an update, or null. */
  update: string | null;
  /** A must-use plugin: always active, not to be deleted. */
  mu: boolean;
}

export interface Theme {
  definition: ThemeDefinition;
  version: string;
  update: string | null;
}

export interface Translation {
  type: 'plugin' | 'theme' | 'core';
  slug: string;
  language: string;
  version: string;
  name: string;
}

export interface User {
  id: number;
  login: string;
  email: string;
  displayName: string;
  firstName: string;
  lastName: string;
  nickname: string;
  url: string;
  description: string;
  /** The first one; '' for none. */
  role: string;
  furtherRoles: string[];
  password: string;
  /** The child's per-user setting "password authentication"; on unless switched off (protocol 2.4). */
  passwordAuth: boolean;
  /** Unix seconds. */
  registered: number;
  lastPasswordChange: number | null;
  /** Rises when all sessions of the user are ended, which voids the cookies given out. */
  sessionEpoch: number;
  /** Hashes of the reconnect tokens, the newest five (protocol 2.5). */
  tokens: string[];
}

export interface Post {
  id: number;
  type: string;
  status: string;
  title: string;
  content: string;
  excerpt: string;
  name: string;
  password: string;
  /** Post date, Unix seconds (all sites keep UTC). */
  date: number;
  /** False for a draft that was never dated: its GMT date is all zeros. */
  dated: boolean;
  /** Last modification; null = all zeros, which the child turns into -62169984000 (protocol 4.1). */
  modified: number | null;
  authorId: number;
  categories: string[];
  tags: string[];
  sticky: boolean;
  commentStatus: string;
  pingStatus: string;
  featuredImage: string;
  meta: Record<string, string[]>;
}

export type CommentStatus = 'approve' | 'hold' | 'spam' | 'trash';

export interface Comment {
  id: number;
  postId: number;
  author: string;
  email: string;
  url: string;
  ip: string;
  content: string;
  status: CommentStatus;
  /** The state to return to on `restore` and `unspam`. */
  previous: CommentStatus;
  date: number;
}

export interface Category {
  id: number;
  name: string;
  slug: string;
}

/** One item of log A: what people did in wp-admin (protocol 4.9). */
export interface ChildAction {
  id: string;
  context: 'plugins' | 'themes' | 'wordpress';
  action: string;
  login: string;
  created: number;
  summary: string;
  extra: Record<string, unknown>;
}

/** One item of log B, the changes log (protocol 4.9). */
export interface ChangeRecord {
  id: number;
  typeId: number;
  /** Unix seconds with microseconds, undamaged; the damage is done on the way out. */
  created: number;
  context: string;
  action: string;
  login: string;
  postId: number;
  meta: Record<string, unknown>;
}

/** What the Child Reports plugin recorded: `values` answers the content tokens (protocol 4.10). */
export interface ReportRecord {
  at: number;
  context: string;
  action: string;
  author: string;
  values: Record<string, string>;
}

/** What a security plugin fended off, by the second; its counters go by whole days (protocol 4.10). */
export interface FendedOff {
  at: number;
  kind: 'wordfence-blocked' | 'ithemes-blocked' | 'ithemes-lockout';
  count: number;
}

/** An order of one product. */
export interface Order {
  at: number;
  product: string;
  quantity: number;
  total: number;
}

/** A WooCommerce shop (protocol 4.11). */
export interface Shop {
  currency: string;
  orders: Order[];
  awaiting: number;
  onHold: number;
  lowStock: number;
  outOfStock: number;
}

export interface HardeningFlag {
  /** True when the matter is good by itself, without the child's fix. */
  good: boolean;
  fixed: boolean;
}

export interface Core {
  version: string;
  update: string | null;
  /** False: the site cannot reach the list of updates and answers NORESPONSE (protocol 4.3). */
  offersReachable: boolean;
  /** True while another core update holds WordPress' lock. */
  locked: boolean;
}

export interface Connection {
  /** The public key exactly as sent; null = not connected. */
  publicKey: string | null;
  server: string;
  connectedAdmin: string;
  /**
   * The strongest `sign_algo` a good signature came with, 0 = none yet: decides what is still accepted (protocol 3.1).
   */
  signAlgo: number;
}

export interface SiteState {
  connection: Connection;
  childActive: boolean;
  /** The child's version, as it reports it. */
  childVersion: string;
  uniqueId: string;
  /** The stored list of what to sync; null = everything (protocol 4.1). */
  syncdata: Record<string, unknown> | null;
  recentNumber: number;
  title: string;
  core: Core;
  phpVersion: string;
  debug: boolean;
  memoryLimit: string;
  mysqlVersion: string;
  language: string;
  hosting: { wpe: 0 | 1; wphost: string };
  databaseBytes: number;
  iconUrl: string;
  health: { good: number; recommended: number; critical: number };
  hardening: { db_reporting: HardeningFlag; php_reporting: HardeningFlag };
  plugins: Map<string, Plugin>;
  themes: Map<string, Theme>;
  activeTheme: string;
  translations: Translation[];
  /** "Abandoned" is read from a cache that a background job of the site fills (protocol 4.1). */
  abandoned: { days: number; pluginsChecked: boolean; themesChecked: boolean };
  users: User[];
  /** Slugs that users may be given. */
  roles: string[];
  posts: Map<number, Post>;
  comments: Map<number, Comment>;
  categories: Category[];
  nextId: { user: number; post: number; comment: number; category: number };
  actions: ChildAction[];
  changes: ChangeRecord[];
  nextChangeId: number;
  /** Types of the changes log that are left out of answers; a request sets them for good. */
  ignoredChanges: number[];
  reports: ReportRecord[];
  fendedOff: FendedOff[];
  /** Null without WooCommerce. */
  shop: Shop | null;
  cachePurgedAt: number;
  cacheLog: string;
  passwordPolicy: Record<string, unknown>;
  /** Files of the child's own backup, by name; `made` in Unix seconds. */
  backups: Map<string, { made: number; size: number }>;
  /** When a plugin of the site last made a backup, by the plugin's file; Unix seconds. */
  lastBackups: Map<string, number>;
  /** Files that were written through the child, from the site's root. */
  uploads: Set<string>;
  /** What a clean-up finds beside posts and comments; revisions for each post that has some. */
  leftovers: { revisions: number[]; autoDrafts: number; emptyCategories: number; emptyTags: number };
}
