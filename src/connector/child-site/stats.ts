import type { ChangedValues } from '../../shared/changed-values.ts';
import type { ChildLink } from './target.ts';

/** What a sync can be asked for; a section that it is not asked for stays as it is stored. */
export const SYNC_SECTIONS = [
  'core_updates',
  'plugin_updates',
  'theme_updates',
  'translation_updates',
  'security_stats',
  'plugins',
  'themes',
  'plugins_outdate_info',
  'themes_outdate_info',
  'health_site_status',
  'child_site_actions_data',
] as const;
export type SyncSectionName = (typeof SYNC_SECTIONS)[number];

export interface SyncRequest {
  /** All of them, unless given. */
  sections?: ReadonlySet<SyncSectionName>;
  /** Days without an update after which the child lists an item as abandoned. */
  abandonedAfterDays: number;
  /** Highest `created` (float seconds) of the child's action log that is already stored; 0 = from the start. */
  actionsSince: number;
  /** Float seconds up to which the changes log is already stored; 0 = from the start. */
  changesSince: number;
  /** How many entries of the changes log one answer may bring. */
  changesLimit: number;
  /** The plugin that makes the backups of the site, as the child calls it. */
  backupMethod?: string | null;
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

/** What a line of a log is about, and what it was and became, as far as the child says. */
export interface LoggedThing {
  /** Its name or title. */
  name: string | null;
  /** What tells it from others of its kind: the slug of a plugin or theme, else the number that the site gave it. */
  key: string | null;
  before: ChangedValues;
  after: ChangedValues;
}

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
  thing: LoggedThing;
  user: string;
  /** Float seconds of the action log, for the next `actionsSince`; null in the changes log. */
  cursor: number | null;
}

/** Items of some kinds; of the others nothing is known. */
export interface PartialList<Kind extends string, Item> {
  kinds: readonly Kind[];
  items: Item[];
}

/** A part that the child did not send (switched off, or an older plugin) is undefined: what is stored then stays. */
export interface ChildStats {
  childVersion: string;
  wpVersion: string | null;
  phpVersion: string | null;
  dbVersion: string | null;
  /** Address of its server, as the server itself knows it. */
  ip: string | null;
  siteUrl: string | null;
  activeThemeName: string | null;
  plugins?: ChildPlugin[];
  themes?: ChildTheme[];
  /** Of all types. */
  updates?: ChildUpdate[];
  /** The same of the types that the child sent, where it sent any. */
  updatesByType?: PartialList<UpdateType, ChildUpdate>;
  abandoned?: PartialList<AbandonedItem['kind'], AbandonedItem>;
  security?: Partial<Record<SecurityFlag, SecurityValue>>;
  health?: { good: number; recommended: number; critical: number };
  /** When the plugin that was asked for last made a backup, in milliseconds since 1970. */
  lastBackupAt?: number;
  logs?: ChildLogEntry[];
  /** The changes log brought as many entries as were asked for, so that more may wait. */
  moreChanges: boolean;
  /** A fresh reconnect token, when one was asked for. */
  regverify: string | null;
}

/** A part of the changes log in float seconds, both ends exclusive; without `until` it is open. */
export interface ChangesWindow {
  since: number;
  until: number | null;
}

/** The oldest entries of a window. */
export interface ChangesPage {
  entries: ChildLogEntry[];
  /** As many as were asked for came, so that more may wait. */
  full: boolean;
}

export interface SyncCalls {
  stats(link: ChildLink, request: SyncRequest): Promise<ChildStats>;
  /** Reads on in the changes log, and nothing else. */
  changes(link: ChildLink, window: ChangesWindow, limit: number): Promise<ChangesPage>;
  /** When this plugin last made a backup, in milliseconds since 1970; null when it tells of none. */
  lastBackup(link: ChildLink, method: string): Promise<number | null>;
}
