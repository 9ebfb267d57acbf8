import {
  SYNC_SECTIONS,
  type ChangesWindow,
  type Registration,
  type SyncRequest,
  type SyncSectionName,
} from '../child-site.ts';
import { MAX_RECENT_POSTS } from '../recent-lists.ts';
import { percentEncodePassword, type FormFields } from '../form-encoding.ts';

/**
 * Sections that this service does not store. They are requested with 0, because the child also sends sections that are
 * not mentioned.
 */
const NEVER_ASKED_FOR = [
  ...['directories', 'categories', 'totalsize', 'dbsize', 'users', 'othersData', 'last_post_gmt'],
  'password_policy_options',
];
/** Lists that complete the logs: the child has no log entry for some creations (protocol 4.9). */
const RECENT_LISTS = ['recent_comments', 'recent_posts', 'recent_pages'];

const WIRE_NAMES: Partial<Record<SyncSectionName, string>> = {
  core_updates: 'wp_updates',
  security_stats: 'securityStats',
};

/**
 * Returns `syncdata`, which tells the child which sections to send. The child stores it and applies it to other
 * responses too (protocol 0.11).
 */
function encodeSyncSections(sections?: ReadonlySet<SyncSectionName>): string {
  const asked = SYNC_SECTIONS.map((name) => [WIRE_NAMES[name] ?? name, Number(sections?.has(name) ?? true)] as const);
  const logs = Number(sections?.has('child_site_actions_data') ?? true);
  const flags = [
    ...asked,
    ['primaryLasttimeBackup', 1],
    ...RECENT_LISTS.map((name) => [name, logs]),
    ...NEVER_ASKED_FOR.map((name) => [name, 0]),
  ] as const;
  return JSON.stringify(Object.fromEntries(flags as [string, number][]));
}

const EVERYTHING = encodeSyncSections();

export function syncFields(server: string, request: SyncRequest): FormFields {
  const { sections, abandonedAfterDays, actionsSince, changesSince, changesLimit, backupMethod } = request;
  return {
    server,
    syncdata: sections && sections.size < SYNC_SECTIONS.length ? encodeSyncSections(sections) : EVERYTHING,
    numberdaysOutdatePluginTheme: Math.trunc(abandonedAfterDays),
    recent_number: MAX_RECENT_POSTS,
    // The child rounds to four decimals before it compares (protocol 4.9).
    child_actions_last_created: actionsSince.toFixed(4),
    ...(backupMethod && { primaryBackup: backupMethod }),
    ...(changesLimit > 0 && changesLogFields({ since: changesSince, until: null }, changesLimit)),
  };
}

/** A time after every entry of the action log, so that the child returns none of them. In seconds since 1970. */
const NO_ACTIONS = 9_999_999_999;

/** Returns fields that read only the changes log. The child keeps the values of omitted fields, such as `syncdata`. */
export function changesSyncFields(window: ChangesWindow, limit: number): FormFields {
  return { child_actions_last_created: NO_ACTIONS, ...changesLogFields(window, limit) };
}

export const lastBackupFields = (method: string): FormFields => ({
  child_actions_last_created: NO_ACTIONS,
  primaryBackup: method,
});

/**
 * Returns the fields that request entries of the changes log. Times are float seconds with six decimals, as on the
 * child's clock.
 */
function changesLogFields({ since, until }: ChangesWindow, limit: number): FormFields {
  return {
    params_logs: {
      events_count: Math.trunc(limit),
      newer_than: Number(since.toFixed(6)),
      ...(until !== null && { older_than: Number(until.toFixed(6)) }),
      // Lists of log entries that the child leaves out. It stores them, and another dashboard may have set them. -1
      // clears a list.
      ignore_sync_changes_logs: -1,
      ignore_sync_nonmainwp_actions: -1,
    },
  };
}

/**
 * Returns the fields of `register` (protocol 2.3). A missing token is omitted: with an empty `regverify`, the child
 * would refuse a missing password with `reconnect_failed` instead of `REG_ERROR7`.
 */
export function registerFields(registration: Registration, password: string | null): FormFields {
  const { admin, server, publicKeyPem, uniqueId, regverify } = registration;
  return {
    user: admin,
    function: 'register',
    pubkey: publicKeyPem,
    server,
    uniqueId: uniqueId ?? '',
    recent_number: MAX_RECENT_POSTS,
    ...(password !== null && { userpwd: percentEncodePassword(password) }),
    ...(regverify !== null && { regverify }),
  };
}
