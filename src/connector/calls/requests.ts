import type { ChangesWindow, Registration, SyncRequest } from '../child-site.ts';
import { encodePassword, type Fields } from '../payload.ts';

/** What a sync asks for. The child stores the list, and it rules the state in other answers as well (protocol 0.11). */
const SYNC_DATA = JSON.stringify({
  ...flags(
    1,
    'wp_updates',
    'plugin_updates',
    'theme_updates',
    'translation_updates',
    'securityStats',
    'plugins',
    'themes',
  ),
  ...flags(1, 'plugins_outdate_info', 'themes_outdate_info', 'health_site_status', 'child_site_actions_data'),
  ...flags(1, 'primaryLasttimeBackup'),
  ...flags(
    0,
    'recent_comments',
    'recent_posts',
    'recent_pages',
    'directories',
    'categories',
    'totalsize',
    'dbsize',
    'users',
  ),
  ...flags(0, 'othersData', 'last_post_gmt', 'password_policy_options'),
});

function flags(value: 0 | 1, ...names: string[]): Record<string, 0 | 1> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** Fields of a sync (protocol 4.1) beside those of every signed call. */
export function syncFields(server: string, request: SyncRequest): Fields {
  const { abandonedAfterDays, actionsSince, changesSince, changesLimit, backupMethod } = request;
  return {
    server,
    syncdata: SYNC_DATA,
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
