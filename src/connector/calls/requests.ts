import {
  SYNC_SECTIONS,
  type ChangesWindow,
  type Registration,
  type SyncRequest,
  type SyncSectionName,
} from '../child-site.ts';
import { encodePassword, type Fields } from '../payload.ts';

/** What is stored nowhere here; without a name the child takes it for asked for. */
const NEVER_ASKED_FOR = [
  ...['recent_comments', 'recent_posts', 'recent_pages', 'directories', 'categories', 'totalsize', 'dbsize', 'users'],
  ...['othersData', 'last_post_gmt', 'password_policy_options'],
];

/** Where the protocol calls a section by another name. */
const WIRE_NAMES: Partial<Record<SyncSectionName, string>> = {
  core_updates: 'wp_updates',
  security_stats: 'securityStats',
};

/** What a sync asks for. The child stores the list, and it rules the state in other answers as well (protocol 0.11). */
function syncData(sections?: ReadonlySet<SyncSectionName>): string {
  const asked = SYNC_SECTIONS.map((name) => [WIRE_NAMES[name] ?? name, Number(sections?.has(name) ?? true)] as const);
  const flags = [...asked, ['primaryLasttimeBackup', 1], ...NEVER_ASKED_FOR.map((name) => [name, 0])] as const;
  return JSON.stringify(Object.fromEntries(flags as [string, number][]));
}

const EVERYTHING = syncData();

/** Fields of a sync (protocol 4.1) beside those of every signed call. */
export function syncFields(server: string, request: SyncRequest): Fields {
  const { sections, abandonedAfterDays, actionsSince, changesSince, changesLimit, backupMethod } = request;
  return {
    server,
    syncdata: sections ? syncData(sections) : EVERYTHING,
    numberdaysOutdatePluginTheme: Math.trunc(abandonedAfterDays),
    // Compared on the child after rounding to four decimals (protocol 4.9).
    child_actions_last_created: actionsSince.toFixed(4),
    ...(backupMethod && { primaryBackup: backupMethod }),
    ...(changesLimit > 0 && logFields({ since: changesSince, until: null }, changesLimit)),
  };
}

/** Later than any entry of the action log. */
const NO_ACTIONS = 9_999_999_999;

/**
 * A sync that wants nothing but entries of the changes log; what it does not name stays on the child as it was stored.
 */
export function changesFields(window: ChangesWindow, limit: number): Fields {
  return { child_actions_last_created: NO_ACTIONS, ...logFields(window, limit) };
}

/** A sync that wants the last backup, for which the first one asked by no plugin. */
export const backupFields = (method: string): Fields => ({
  child_actions_last_created: NO_ACTIONS,
  primaryBackup: method,
});

/** Times go out in microseconds, which the child's clock counts in. */
function logFields({ since, until }: ChangesWindow, limit: number): Fields {
  return {
    params_logs: {
      events_count: Math.trunc(limit),
      newer_than: Number(since.toFixed(6)),
      ...(until !== null && { older_than: Number(until.toFixed(6)) }),
      // Both lists are stored on the child; another dashboard may have left its own.
      ignore_sync_changes_logs: -1,
      ignore_sync_nonmainwp_actions: -1,
    },
  };
}

/**
 * Fields of `register` (protocol 2.3). `userpwd` and `regverify` mean something else when present and empty than when
 * absent.
 */
export function registerFields(registration: Registration, password: string | null): Fields {
  const { admin, server, publicKeyPem, uniqueId, regverify } = registration;
  return {
    user: admin,
    function: 'register',
    pubkey: publicKeyPem,
    server,
    uniqueId: uniqueId ?? '',
    ...(password !== null && { userpwd: encodePassword(password) }),
    ...(regverify !== null && { regverify }),
  };
}
