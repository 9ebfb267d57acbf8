export interface PluginDefinition {
  file: string;
  name: string;
  description: string;
  author: string;
  /** Released versions, oldest first. An update installs the last one. */
  versions: readonly string[];
  requiresPhp: string;
  /**
   * Days since the last release in the directory of WordPress.org. Plugins with an old release count as abandoned
   * (protocol 4.1).
   */
  ageDays: number;
}

export interface ThemeDefinition {
  stylesheet: string;
  name: string;
  description: string;
  versions: readonly string[];
  ageDays: number;
  parent?: string;
}

export interface Plugin {
  definition: PluginDefinition;
  version: string;
  active: boolean;
  update: string | null;
  /** True for a must-use plugin, which is always active and cannot be deleted. */
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
  role: string;
  furtherRoles: string[];
  password: string;
  /** The child's setting "password authentication" of this user. Default: true (protocol 2.4). */
  passwordAuth: boolean;
  /** Unix time in seconds. */
  registered: number;
  lastPasswordChange: number | null;
  sessionEpoch: number;
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
  /** Publication date: Unix time in seconds. All sites use UTC. */
  date: number;
  /** False for a draft without a date. Its GMT date consists of zeros. */
  dated: boolean;
  /**
   * Time of the last modification. Null is a date of zeros, which the child converts to -62169984000 (protocol 4.1).
   */
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
  previous: CommentStatus;
  date: number;
}

export interface Category {
  id: number;
  name: string;
  slug: string;
}

/** Entry of log A: actions of users in wp-admin (protocol 4.9). */
export interface ChildAction {
  id: string;
  context: 'plugins' | 'themes' | 'wordpress';
  action: string;
  login: string;
  created: number;
  summary: string;
  extra: Record<string, unknown>;
}

/** Entry of log B, the changes log (protocol 4.9). */
export interface ChangeRecord {
  id: number;
  typeId: number;
  /** Unix time in seconds, with microseconds. `damageTimeFraction` changes the fraction in responses. */
  created: number;
  context: string;
  action: string;
  login: string;
  postId: number;
  meta: Record<string, unknown>;
}

/** A record of the Child Reports plugin. `values` contains the values of content tokens (protocol 4.10). */
export interface ReportRecord {
  at: number;
  context: string;
  action: string;
  author: string;
  values: Record<string, string>;
}

/**
 * Attacks that a security plugin blocked. `at` is in seconds, but the counters of the plugin use whole days (protocol
 * 4.10).
 */
export interface BlockedAttacks {
  at: number;
  kind: 'wordfence-blocked' | 'ithemes-blocked' | 'ithemes-lockout';
  count: number;
}

export interface Order {
  at: number;
  product: string;
  quantity: number;
  total: number;
}

export interface Shop {
  currency: string;
  orders: Order[];
  awaiting: number;
  onHold: number;
  lowStock: number;
  outOfStock: number;
}

export interface HardeningFlag {
  /** True if the check passes without the fix that the child can make. */
  good: boolean;
  fixed: boolean;
}

export interface Core {
  version: string;
  update: string | null;
  offersReachable: boolean;
  locked: boolean;
}

export interface Connection {
  publicKey: string | null;
  server: string;
  connectedAdmin: string;
  /**
   * Highest `sign_algo` of a valid signature so far, or 0. Above 0, a signature without `sign_algo` is refused, except
   * an RSA-PSS signature (`verifylib`). Above 1 (SHA-1), SHA-1 is refused (protocol 3.1).
   */
  signAlgo: number;
}

export interface GuardFile {
  id: string;
  kind: 'plugin' | 'theme';
  folder: string;
  /** 64 hexadecimal digits. */
  publicKey: string;
  /** Unix time in milliseconds. After this time, the file deletes itself when the next page is complete. */
  expiresAt: number;
  lastSequence: string;
  /** Main file of the plugin whose activation is guarded. Empty for an update. */
  activated: string;
  isActivationArmed: boolean;
  copy: { plugins: Plugin[]; themes: Theme[] } | null;
  restored: object | null;
}

export interface SiteState {
  connection: Connection;
  childActive: boolean;
  childVersion: string;
  uniqueId: string;
  /** Which data `stats` returns, as the last request has chosen. Null means all data (protocol 4.1). */
  syncdata: Record<string, unknown> | null;
  recentNumber: number;
  title: string;
  core: Core;
  phpVersion: string;
  debug: boolean;
  /** False for a WordPress with `EMPTY_TRASH_DAYS` set to 0, in which moving a post to the trash deletes it. */
  hasTrash: boolean;
  memoryLimit: string;
  mysqlVersion: string;
  language: string;
  hosting: { wpe: 0 | 1; wphost: string };
  databaseBytes: number;
  iconUrl: string;
  health: { good: number; recommended: number; critical: number };
  hardening: { db_reporting: HardeningFlag; php_reporting: HardeningFlag };
  plugins: Map<string, Plugin>;
  activeWithoutFiles: Set<string>;
  themes: Map<string, Theme>;
  activeTheme: string;
  /** Plugin files and stylesheets that WordPress updates by itself. `stats` does not contain them. */
  autoUpdates: { plugin: Set<string>; theme: Set<string> };
  translations: Translation[];
  /** Cache of the check for abandoned plugins and themes. A background job of the site fills it (protocol 4.1). */
  abandoned: { days: number; pluginsChecked: boolean; themesChecked: boolean };
  users: User[];
  /**
   * Users of the network (multisite) who are not members of this site. Null if the site is not part of a network. If a
   * user of a site in a network is deleted, WordPress ends the membership and keeps the account in the network.
   */
  networkUsers: User[] | null;
  roles: string[];
  posts: Map<number, Post>;
  comments: Map<number, Comment>;
  categories: Category[];
  nextId: { user: number; post: number; comment: number; category: number };
  actions: ChildAction[];
  changes: ChangeRecord[];
  nextChangeId: number;
  ignoredChanges: number[];
  reports: ReportRecord[];
  fendedOff: BlockedAttacks[];
  shop: Shop | null;
  cachePurgedAt: number;
  cacheLog: string;
  passwordPolicy: Record<string, unknown>;
  /** Files of the child's own backup by name. `made` is Unix time in seconds. */
  backups: Map<string, { made: number; size: number }>;
  /** Time of the last backup by plugin file, as Unix time in seconds. */
  lastBackups: Map<string, number>;
  uploads: Set<string>;
  guardFiles: Map<string, GuardFile>;
  /** Counts of further objects that `maintenance_site` deletes. `revisions` has one for each post with revisions. */
  leftovers: { revisions: number[]; autoDrafts: number; emptyCategories: number; emptyTags: number };
}
