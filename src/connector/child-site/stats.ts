import type { ChangedValues } from '../../shared/changed-values.ts';
import type { ChildLink } from './target.ts';

/**
 * Sections of a sync. A sync without `sections` requests all of them. Stored data of sections that are not requested is
 * kept.
 */
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
  sections?: ReadonlySet<SyncSectionName>;
  abandonedAfterDays: number;
  /**
   * `actionsSince` is the highest `created` of the stored entries of the action log. `changesSince` is the time up to
   * which the changes log is stored. Both are in float seconds; 0 reads a log from the start.
   */
  actionsSince: number;
  changesSince: number;
  changesLimit: number;
  backupMethod?: string | null;
}

export interface ChildPlugin {
  slug: string;
  name: string;
  version: string;
  active: boolean;
  mustUse: boolean;
  isChildPlugin: boolean;
}

export interface ChildTheme {
  slug: string;
  name: string;
  version: string;
  active: boolean;
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

export interface ChildLogObject {
  name: string | null;
  /** Identifier within its kind: the slug of a plugin or theme, otherwise usually its ID in WordPress. */
  key: string | null;
  before: ChangedValues;
  after: ChangedValues;
}

export interface ChildLogEntry {
  source: 'child_actions' | 'child_changes';
  externalId: string;
  at: number;
  context: string;
  action: string;
  summary: string;
  thing: ChildLogObject;
  user: string;
  /**
   * Status of a post that got its first categories. WordPress sets these when it inserts a post, and the log may have
   * no other entry about the insertion. A program that sets the categories of an old post causes the same entry.
   */
  insertedStatus?: string;
  /** Float seconds in the action log, for the next `actionsSince`; null in the changes log. */
  cursor: number | null;
}

/** Items of the kinds in `kinds`. Whether the site has items of other kinds is unknown. */
export interface PartialList<Kind extends string, Item> {
  kinds: readonly Kind[];
  items: Item[];
}

export interface RecentItem {
  kind: 'comment' | 'post' | 'page';
  /** A post and a page of one site never have the same ID. */
  id: number;
  /** Title of the post or page; of a comment, the title of its post. */
  title: string;
  status: string;
  /** Time at which a comment was created, or a post or page was last changed (ms since 1970); null if unknown. */
  at: number | null;
}

/**
 * State of a site. A field that the child did not send is undefined: its section is switched off, or the child plugin
 * is older. The stored data of this field is kept.
 */
export interface ChildStats {
  childVersion: string;
  wpVersion: string | null;
  phpVersion: string | null;
  dbVersion: string | null;
  ip: string | null;
  siteUrl: string | null;
  activeThemeName: string | null;
  plugins?: ChildPlugin[];
  /** IDs of guard files (`GuardFileRequest`), which `plugins` does not contain. Undefined if `plugins` is undefined. */
  guardFiles?: string[];
  themes?: ChildTheme[];
  /** Updates of all types; undefined unless the child sent all types. */
  updates?: ChildUpdate[];
  updatesByType?: PartialList<UpdateType, ChildUpdate>;
  abandoned?: PartialList<AbandonedItem['kind'], AbandonedItem>;
  security?: Partial<Record<SecurityFlag, SecurityValue>>;
  health?: { good: number; recommended: number; critical: number };
  lastBackupAt?: number;
  logs?: ChildLogEntry[];
  recent?: PartialList<RecentItem['kind'], RecentItem>;
  moreChanges: boolean;
  regverify: string | null;
}

/**
 * Range of times in the changes log, in float seconds. Both limits are exclusive. If `until` is null, there is no upper
 * limit.
 */
export interface ChangesWindow {
  since: number;
  until: number | null;
}

export interface ChangesPage {
  entries: ChildLogEntry[];
  full: boolean;
}

export interface SyncReport {
  /** Equal for reports with equal contents. */
  digest: string;
  isKnown: boolean;
  /** Decodes the report. Throws `ChildBadAnswerError` if it is invalid. */
  read(): ChildStats;
}

export interface SyncCalls {
  stats(link: ChildLink, request: SyncRequest): Promise<ChildStats>;
  /** Like `stats`, but calls `isKnown` with the digest first. If it returns true, only `read` parses the report. */
  report(link: ChildLink, request: SyncRequest, isKnown: (digest: string) => boolean): Promise<SyncReport>;
  /** Reads the oldest entries of a window of the changes log, and nothing else. */
  changes(link: ChildLink, window: ChangesWindow, limit: number): Promise<ChangesPage>;
  lastBackup(link: ChildLink, method: string): Promise<number | null>;
}
