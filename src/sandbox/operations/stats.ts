import { createHash } from 'node:crypto';
import { phpJson } from '../protocol/frame.ts';
import {
  hasField,
  parseJsonOrUndefined,
  textField,
  isTruthy,
  stripSlashes,
  type PhpFormFields,
} from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import { makeRegistrationToken } from '../protocol/registration-tokens.ts';
import { CACHE_PLUGIN_FILE } from '../state/catalogue.ts';
import type { SiteState } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';
import { commentEntry, newestFirst, ZERO_DATE_SECONDS, postEntry, userEntry } from './content-views.ts';
import {
  abandonedPlugins,
  abandonedThemes,
  pluginEntry,
  pluginUpdates,
  themeEntry,
  themeUpdates,
} from './inventory-views.ts';
import { actionsSince, changesFor, changesLogBytes, storeIgnoredChanges, wantsLogs } from './logs.ts';
import { securityIssues, securityStats } from './hardening.ts';

/**
 * This file simulates `stats`, the main response of a sync (protocol 4.1). Other responses contain the same data in
 * `sync`, and the response to a registration consists of it.
 */

const RECENT_POST_STATUSES = ['publish', 'draft', 'pending', 'trash', 'future'];
const MAX_USERS = 500;

/**
 * Placeholder for the comments in a cached response. It is replaced in each response, because each one encodes the
 * email addresses differently.
 */
const COMMENTS_MARK = '\u0000comments\u0000';
const KEPT_MARK = phpJson(COMMENTS_MARK);

export interface CachedResponse {
  question: string;
  before: string;
  after: string;
}

/** Returns basic data if the site is not connected, and an error otherwise (protocol 2.1). */
export function unsignedStats(state: SiteState): Reply {
  if (state.connection.publicKey !== null) {
    return frameReply({
      error:
        'This site already contains a link. Please deactivate and reactivate the MainWP plugin.<br/>Hint: Go to the child site, deactivate and reactivate the MainWP Child plugin and try again.',
    });
  }
  return frameReply({ version: state.childVersion, wpversion: state.core.version, ...state.hosting });
}

/**
 * Simulates `stats`. Stores the settings of the request first. The response is cached, because most syncs of a fleet
 * find no changes.
 */
export function stats(
  call: Call,
  revision: number,
  kept: CachedResponse | undefined,
): { reply: Reply; keep?: CachedResponse } {
  storeSettings(call);
  const { days, pluginsChecked, themesChecked } = call.state.abandoned;
  const checkPending = !pluginsChecked || !themesChecked;
  const token = isTruthy(call.fields['sync_regverify']) ? freshToken(call) : undefined;
  const question = [
    revision,
    call.user?.login ?? '',
    call.secure,
    JSON.stringify(call.state.syncdata),
    JSON.stringify(call.state.passwordPolicy),
    call.state.recentNumber,
    days,
    ...['optimize', 'othersData', 'child_actions_last_created', 'primaryBackup'].map((name) =>
      textField(call.fields, name),
    ),
    hasField(call.fields, 'othersData'),
    JSON.stringify([call.fields['params_logs'] ?? null, call.state.ignoredChanges]),
    Math.floor(call.now / 86_400),
  ].join('\n');
  let keep = kept?.question === question ? kept : undefined;
  if (keep === undefined || token !== undefined || checkPending) {
    const whole = phpJson({
      ...statsObject(call, COMMENTS_MARK),
      ...(token === undefined ? {} : { regverify_info: token }),
    });
    const [before = '', after = ''] = whole.split(KEPT_MARK);
    keep = { question: token === undefined && !checkPending ? question : '', before, after };
  }
  const comments = keep.after === '' ? '' : phpJson(recentComments(call.state));
  if (checkPending) runAbandonedJob(call.state);
  return { reply: { kind: 'frame', json: keep.before + comments + keep.after }, keep };
}

function freshToken(call: Call): string | false {
  return call.user === undefined || call.hadCookie ? false : makeRegistrationToken(call.user);
}

export function syncBlock(call: Call): Record<string, unknown> {
  storeRecentNumber(call.state, call.fields);
  return statsObject(call, recentComments(call.state));
}

/**
 * Stores `recent_number` of a request. Later responses have lists of this length even if the request does not contain
 * `recent_number`.
 */
function storeRecentNumber(state: SiteState, fields: PhpFormFields): void {
  if (!hasField(fields, 'recent_number') || !wantsRecentPosts(state)) return;
  const number = Math.trunc(Number(textField(fields, 'recent_number')));
  state.recentNumber = number >= 1 && number <= 30 ? number : 5;
}

const wantsSection = ({ syncdata }: SiteState, name: string): boolean =>
  syncdata?.[name] === undefined || isTruthy(syncdata[name]);

const wantsRecentPosts = (state: SiteState): boolean =>
  wantsSection(state, 'recent_posts') || wantsSection(state, 'recent_pages');

function storeSettings({ state, fields }: Call): void {
  if (hasField(fields, 'server') && state.connection.server !== textField(fields, 'server')) {
    state.connection.server = textField(fields, 'server');
  }
  if (hasField(fields, 'syncdata')) {
    const wanted = parseJsonOrUndefined(textField(fields, 'syncdata'));
    state.syncdata = typeof wanted === 'object' && wanted !== null ? (wanted as Record<string, unknown>) : null;
  }
  storeIgnoredChanges(state, fields);
  storeRecentNumber(state, fields);
  const days = Number(textField(fields, 'numberdaysOutdatePluginTheme'));
  if (days > 0 && days !== state.abandoned.days) {
    state.abandoned = { days, pluginsChecked: false, themesChecked: false };
  }
  const policy = parseJsonOrUndefined(textField(fields, 'passwordPolicySettings'));
  if (typeof policy === 'object' && policy !== null) state.passwordPolicy = { ...state.passwordPolicy, ...policy };
}

/**
 * Simulates the background job that `stats` queues if the check for abandoned plugins has no cached result. The job has
 * finished before the next request.
 */
function runAbandonedJob(state: SiteState): void {
  state.abandoned.pluginsChecked = true;
  state.abandoned.themesChecked = true;
}

function recentComments(state: SiteState): unknown[] {
  return (['approve', 'hold'] as const).flatMap((status) =>
    newestFirst([...state.comments.values()].filter((comment) => comment.status === status))
      .slice(0, 5)
      .map((comment) => commentEntry(state, comment)),
  );
}

function recentPosts(state: SiteState, type: string): unknown[] {
  const all = [...state.posts.values()].filter((post) => post.type === type);
  return RECENT_POST_STATUSES.flatMap((status) =>
    newestFirst(all.filter((post) => post.status === status))
      .slice(0, state.recentNumber)
      .map((post) => postEntry(state, post)),
  );
}

function statsObject(call: Call, comments: unknown): Record<string, unknown> {
  const { state, siteUrl, fields, secure } = call;
  const wants = (name: string): boolean => wantsSection(state, name);
  const when = (name: string, value: () => Record<string, unknown>): Record<string, unknown> =>
    wants(name) ? value() : {};
  const now = unixSecondsOf(call);
  const checks = securityStats(state, secure);
  const anyPosts = wantsRecentPosts(state);
  const users = wants('users') && isTruthy(fields['optimize']);
  return {
    version: state.childVersion,
    wpversion: state.core.version,
    siteurl: siteUrl,
    ...state.hosting,
    site_info: siteInfo(call),
    ...when('wp_updates', () => ({ wp_updates: state.core.update })),
    ...when('plugin_updates', () => ({ plugin_updates: pluginUpdates(state, siteUrl) })),
    ...when('theme_updates', () => ({ theme_updates: themeUpdates(state, siteUrl) })),
    ...when('translation_updates', () => ({ translation_updates: state.translations })),
    ...when('recent_comments', () => ({ recent_comments: comments })),
    ...(anyPosts ? { recent_posts: recentPosts(state, 'post'), recent_pages: recentPosts(state, 'page') } : {}),
    ...when('securityStats', () => ({ securityIssues: securityIssues(checks), securityStats: checks })),
    ...when('directories', () => ({ directories: isTruthy(fields['scan_dir']) ? DIRECTORIES : '' })),
    ...when('categories', () => categoryKeys(state)),
    ...when('dbsize', () => ({ dbsize: state.databaseBytes })),
    extauth: createHash('md5')
      .update(`${siteUrl} ${Math.floor(now / 86_400)}`)
      .digest('hex'),
    ...when('plugins', () => ({ plugins: [...state.plugins.values()].map(pluginEntry) })),
    ...when('themes', () => ({ themes: [...state.themes.values()].map((theme) => themeEntry(state, theme)) })),
    ...(users ? { users: userEntries(state, fields) } : {}),
    ...when('primaryLasttimeBackup', () => lastBackup(state, textField(fields, 'primaryBackup'))),
    ...when('last_post_gmt', () => lastPost(state)),
    mainwpdir: 1,
    uniqueId: state.uniqueId,
    ...when('plugins_outdate_info', () => ({ plugins_outdate_info: abandonedPlugins(state, now) })),
    ...when('themes_outdate_info', () => ({ themes_outdate_info: abandonedThemes(state, now) })),
    ...when('health_site_status', () => ({ health_site_status: state.health })),
    ...(wantsLogs(fields) ? { dbsize_activitylogs: changesLogBytes(state) } : {}),
    ...when('child_site_actions_data', () => ({
      child_site_actions_data: actionsSince(state, textField(fields, 'child_actions_last_created')),
      changes_logs_data: changesFor(state, fields),
    })),
    ...(call.user === undefined ? {} : { admin_nicename: call.user.login, admin_useremail: call.user.email }),
    ...(hasField(fields, 'othersData') ? cacheFields(state) : {}),
    ...when('password_policy_options', () => ({ password_policy_options: state.passwordPolicy })),
  };
}

const DIRECTORIES = {
  'wp-admin': { css: null, images: null },
  'wp-content': { plugins: null, themes: null, uploads: null },
};

function siteInfo({ state, siteUrl }: Call): Record<string, unknown> {
  const activeTheme = state.themes.get(state.activeTheme);
  return {
    wpversion: state.core.version,
    debug_mode: state.debug,
    phpversion: state.phpVersion,
    child_version: state.childVersion,
    memory_limit: state.memoryLimit,
    mysql_version: state.mysqlVersion,
    db_size: (state.databaseBytes / 1_048_576).toFixed(2),
    themeactivated: activeTheme?.definition.name ?? state.activeTheme,
    ip: new URL(siteUrl).hostname,
    child_curl_version: '7.88.1',
    child_openssl_version: 'OpenSSL/3.0.19',
    site_lang: state.language,
    site_public: 1,
    format_datetime: { timezone_string: 'UTC', gmt_offset: 0, date_format: 'F j, Y', time_format: 'g:i a' },
  };
}

function categoryKeys(state: SiteState): Record<string, unknown> {
  return {
    categories: state.categories.map((category) => category.name),
    categories_list: state.categories.map(({ id, name, slug }) => ({
      term_id: id,
      name,
      slug,
      taxonomy: 'category',
      parent: 0,
    })),
  };
}

function userEntries(state: SiteState, fields: PhpFormFields): unknown[] {
  const others = parseJsonOrUndefined(stripSlashes(textField(fields, 'othersData'))) as
    | Record<string, unknown>
    | undefined;
  const asked = Number(others?.['users_number']);
  const limit = asked > 0 ? Math.min(asked, MAX_USERS) : MAX_USERS;
  return [...state.users]
    .sort((left, right) => (left.login < right.login ? -1 : 1))
    .slice(0, limit)
    .map((user) => userEntry(state, user, false));
}

/** Returns the modification time of the newest post. For a draft without a date, it is that of a date of zeros. */
function lastPost(state: SiteState): Record<string, unknown> {
  const [newest] = newestFirst([...state.posts.values()].filter((post) => post.type === 'post'));
  return newest === undefined ? {} : { last_post_gmt: newest.modified ?? ZERO_DATE_SECONDS };
}

const BACKUP_PLUGINS: Readonly<Record<string, readonly string[]>> = {
  backupbuddy: ['backupbuddy/backupbuddy.php', 'Backupbuddy/backupbuddy.php'],
  backupwordpress: ['backupwordpress/backupwordpress.php'],
  backwpup: ['backwpup/backwpup.php', 'backwpup-pro/backwpup.php'],
  updraftplus: ['updraftplus/updraftplus.php'],
  wptimecapsule: ['wp-time-capsule/wp-time-capsule.php'],
};

function lastBackup(state: SiteState, method: string): Record<string, unknown> {
  if (method === '') return {};
  const files = Object.hasOwn(BACKUP_PLUGINS, method) ? (BACKUP_PLUGINS[method] ?? []) : [];
  const file = files.find((each) => state.plugins.get(each)?.active === true);
  return { primaryLasttimeBackup: file === undefined ? 0 : (state.lastBackups.get(file) ?? 0) };
}

export function activeCachePluginName(state: SiteState): string | undefined {
  return state.plugins.get(CACHE_PLUGIN_FILE)?.active === true ? 'WP Super Cache' : undefined;
}

export function cacheFields(state: SiteState): Record<string, unknown> {
  return {
    mainwp_cache_control_last_purged: state.cachePurgedAt,
    mainwp_cache_control_cache_solution: activeCachePluginName(state) ?? 'Plugin Not Found',
    mainwp_cache_control_logs: state.cacheLog,
  };
}
