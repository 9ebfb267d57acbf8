import type { KeyObject } from 'node:crypto';
import { cleanUpChildLogs, deleteActions } from './operations/logs.ts';
import type { Call, Operation } from './operations/call.ts';
import type { Defects } from './operations/defects.ts';
import { commentAction, commentBulkAction, getAllComments } from './operations/comments.ts';
import { installPluginTheme } from './operations/install.ts';
import {
  cloneInfo,
  codeSnippet,
  MISSING_PLUGIN_OPERATIONS,
  passwordPolicySettings,
  verifyAction,
} from './operations/missing-plugins.ts';
import {
  backup,
  backupCheckPid,
  createBackupPoll,
  deleteBackup,
  dumpDatabase,
  uploaderAction,
} from './operations/backups-and-uploads.ts';
import { getAllPlugins, pluginAction } from './operations/plugins.ts';
import { newPostFunction } from './operations/post-edit.ts';
import { getAllPages, getAllPosts, postAction } from './operations/posts.ts';
import { register } from './operations/register.ts';
import { clientReport } from './operations/report.ts';
import { security, securityFix, securityUnFix } from './operations/security.ts';
import { maintenanceSite } from './operations/maintenance.ts';
import { wooCommerceStatus } from './operations/shop.ts';
import { stats, unsignedStats, type CachedResponse } from './operations/stats.ts';
import { getAllThemes, themeAction } from './operations/themes.ts';
import {
  cachePurgeAction,
  checkAbandoned,
  deactivate,
  disconnect,
  getSiteIcon,
  settingsTools,
  updateValues,
} from './operations/tools.ts';
import { upgradeCore, upgradePluginTheme, upgradeTranslation } from './operations/updates.ts';
import { getAllUsers, newAdminPassword, newUserFunction, searchUsers, userAction } from './operations/users.ts';
import { visitSite } from './operations/visit-site.ts';
import type { Download } from './downloads.ts';
import { hasValidCookie, loginCookies, type CookieContext } from './protocol/cookies.ts';
import { hasField, textField, type PhpFormFields } from './protocol/form.ts';
import { frameReply, IGNORED, type Reply } from './protocol/reply.ts';
import { readPublicKey, verifySignature } from './protocol/signature.ts';
import { isRefusedReplay, type SignatureMemory } from './protocol/signature-memory.ts';
import { findUser } from './state/connection.ts';
import type { SiteState, User } from './state/site-state.ts';
import { translateErrors } from './translate-errors.ts';

const OPERATIONS: Record<string, Operation> = Object.assign(Object.create(null) as object, {
  ...MISSING_PLUGIN_OPERATIONS,
  get_all_plugins: getAllPlugins,
  get_all_themes: getAllThemes,
  plugin_action: pluginAction,
  theme_action: themeAction,
  installplugintheme: installPluginTheme,
  upgrade: upgradeCore,
  upgradeplugintheme: upgradePluginTheme,
  upgradetranslation: upgradeTranslation,
  check_abandoned: checkAbandoned,
  get_all_posts: getAllPosts,
  get_all_pages: getAllPages,
  post_action: postAction,
  newpost: newPostFunction,
  get_all_comments: getAllComments,
  comment_action: commentAction,
  comment_bulk_action: commentBulkAction,
  get_all_users: getAllUsers,
  search_users: searchUsers,
  user_action: userAction,
  newuser: newUserFunction,
  newadminpassword: newAdminPassword,
  client_report: clientReport,
  woo_com_status: wooCommerceStatus,
  security,
  securityFix,
  securityUnFix,
  settings_tools: settingsTools,
  bulk_settings_manager: visitSite,
  cache_purge_action: cachePurgeAction,
  maintenance_site: maintenanceSite,
  get_site_icon: getSiteIcon,
  update_values: updateValues,
  verify_action: verifyAction,
  password_policy_settings: passwordPolicySettings,
  code_snippet: codeSnippet,
  cloneinfo: cloneInfo,
  backup,
  delete_backup: deleteBackup,
  backup_checkpid: backupCheckPid,
  createBackupPoll,
  api_backups_mysqldump: dumpDatabase,
  uploader_action: uploaderAction,
  delete_actions: deleteActions,
  clean_up_child_logs: cleanUpChildLogs,
  disconnect,
  deactivate,
});

/** Functions that do not change the site, so that its cached `stats` response stays valid. */
const READING = new Set([
  'stats',
  'get_all_plugins',
  'get_all_themes',
  'get_all_posts',
  'get_all_pages',
  'get_all_comments',
  'get_all_users',
  'search_users',
  'security',
  'get_site_icon',
  'client_report',
  'woo_com_status',
]);

const AUTHENTICATION_FAILED =
  'Authentication failed! Please deactivate and re-activate the MainWP Child plugin on this site.';
const SHA1_REFUSED =
  'To use OPENSSL_ALGO_SHA1 OpenSSL signature algorithm. Please deactivate &amp; reactivate the MainWP Child plugin on the child site and try again.';
const EMPTY_SIGNATURE =
  'Authentication failed! Please deactivate &amp; re-activate the MainWP Child plugin on this child site and try again.';
const INCOMPATIBLE =
  'Required version has not been detected. Please, make sure that you are using the latest version of the MainWP Child plugin on your site.';
const ALREADY_USED = 'This request has already been used.';
const NO_SUCH_ADMIN = 'Unexisting administrator user. Please verify that it is an existing administrator.';
const NOT_ADMIN = 'User not administrator. Please use an administrator user to establish the connection.';

export interface SimulatedChildSite {
  readonly state: SiteState;
  readonly defects: Defects;
  readonly siteUrl: string;
  readonly translated: boolean;
  revision: number;
  cachedResponse: CachedResponse | undefined;
  parsedKey: { pem: string; key: KeyObject | null } | undefined;
  readonly signatures: SignatureMemory;
}

export interface IncomingCall {
  fields: PhpFormFields;
  cookieHeader: string | undefined;
  cookies: CookieContext;
  /** Unix time in milliseconds. */
  now: number;
  downloads: ReadonlyMap<string, Download>;
}

export function answerRequest(site: SimulatedChildSite, arrival: IncomingCall): Reply {
  const reply = replyTo(site, arrival);
  return site.translated ? translateErrors(reply) : reply;
}

function replyTo(site: SimulatedChildSite, arrival: IncomingCall): Reply {
  const { state } = site;
  const { fields } = arrival;
  if (!state.childActive) return IGNORED;
  const name = textField(fields, 'function');
  const signature = textField(fields, 'mainwpsignature');
  if (signature === '') return answerUnsigned(site, arrival, name);

  // It is not known if MainWP Child 6.2 stores a signature before or after it has verified the signature. The
  // simulation stores it before, which refuses more calls.
  if (remembersSignatures(state) && isRefusedReplay(site.signatures, signature, arrival.now))
    return frameReply({ error: ALREADY_USED, error_code: 'AUTH_ERROR2' });
  const refusal = refuseSignature(site, fields, name + textField(fields, 'nonce'));
  if (refusal !== undefined) return refusal;
  const login = userOfSignedCall(state, fields);
  if (typeof login === 'string') return frameReply({ error: login });
  if (name === 'register') return answerUnsigned(site, arrival, name);
  if (name === '') return IGNORED;
  const hadCookie = login !== undefined && hasValidCookie(arrival.cookieHeader, login, arrival.cookies);
  // The site opens two login sessions, whose cookies the response contains (protocol 0.10). They are created before the
  // call, so that a call that ends all sessions of the user also ends these two.
  const cookies = login === undefined || hadCookie ? [] : loginCookies(login, arrival.cookies);
  const reply = runOperation(site, name, callOf(site, arrival, login, hadCookie));
  return reply.kind === 'frame' && cookies.length > 0 ? { ...reply, cookies } : reply;
}

function runOperation(site: SimulatedChildSite, name: string, call: Call): Reply {
  if (name === 'stats') {
    const { reply, keep } = stats(call, site.revision, site.cachedResponse);
    site.cachedResponse = keep;
    return reply;
  }
  const operation = OPERATIONS[name];
  if (operation === undefined) return frameReply({ error: INCOMPATIBLE, error_code: 'child_plugin_incompatible' });
  if (!READING.has(name)) site.revision += 1;
  return operation(call);
}

/**
 * Answers an unsigned request, which can only call `register` and `stats` (protocol 3.2). An empty signature field has
 * its own error (recorded from a real site).
 */
function answerUnsigned(site: SimulatedChildSite, arrival: IncomingCall, name: string): Reply {
  if (name === 'register') {
    site.revision += 1;
    const user = findUser(site.state, textField(arrival.fields, 'user'));
    const hadCookie = user !== undefined && hasValidCookie(arrival.cookieHeader, user, arrival.cookies);
    const { reply, loggedIn } = register(callOf(site, arrival, user, hadCookie));
    if (reply.kind !== 'frame' || loggedIn === undefined || hadCookie) return reply;
    return { ...reply, cookies: loginCookies(loggedIn, arrival.cookies).slice(0, 3) };
  }
  if (hasField(arrival.fields, 'mainwpsignature') && name !== '') {
    return frameReply({ error: EMPTY_SIGNATURE, error_code: 'PARSE_ERROR1' });
  }
  return name === 'stats' ? unsignedStats(site.state) : IGNORED;
}

function callOf(site: SimulatedChildSite, arrival: IncomingCall, user: User | undefined, hadCookie: boolean): Call {
  return {
    state: site.state,
    defects: site.defects,
    fields: arrival.fields,
    user,
    siteUrl: site.siteUrl,
    secure: arrival.cookies.secure,
    now: arrival.now / 1000,
    hadCookie,
    downloads: arrival.downloads,
  };
}

/**
 * Returns undefined if the signature is valid. A wrong signature and a site without a key get the same error, without a
 * code (protocol 0.5).
 */
function refuseSignature(site: SimulatedChildSite, fields: PhpFormFields, message: string): Reply | undefined {
  const { connection } = site.state;
  const signAlgo = hasField(fields, 'sign_algo') ? textField(fields, 'sign_algo') : undefined;
  const verifyLib = textField(fields, 'verifylib') !== '' && textField(fields, 'verifylib') !== '0';
  const signed = { message, signature: textField(fields, 'mainwpsignature'), signAlgo, verifyLib };
  const verdict = verifySignature(storedKey(site), signed, connection.signAlgo);
  if (verdict === 'sha1-refused') return frameReply({ error: SHA1_REFUSED });
  if (verdict === 'bad') return frameReply({ error: AUTHENTICATION_FAILED });
  if (signAlgo !== undefined) connection.signAlgo = Math.max(connection.signAlgo, Number(signAlgo));
  return undefined;
}

function remembersSignatures({ childVersion }: SiteState): boolean {
  const [major = 0, minor = 0] = childVersion.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}

function storedKey(site: SimulatedChildSite): KeyObject | null {
  const pem = site.state.connection.publicKey;
  if (pem === null) return null;
  if (site.parsedKey?.pem !== pem) site.parsedKey = { pem, key: readPublicKey(pem) };
  return site.parsedKey.key;
}

function userOfSignedCall(state: SiteState, fields: PhpFormFields): User | string | undefined {
  if (!hasField(fields, 'user') || !hasField(fields, 'function')) return undefined;
  const other = findUser(state, textField(fields, 'alt_user'));
  if (other?.role === 'administrator') return other;
  const user = findUser(state, textField(fields, 'user'));
  if (user === undefined) return NO_SUCH_ADMIN;
  return user.role === 'administrator' ? user : NOT_ADMIN;
}

/**
 * Opens a login link (protocol 3.3). A link is signed over `where` and the nonce, and a call over its function and the
 * nonce. So a captured signature of any call opens wp-admin if `where` is the function.
 */
export function openLoginLink(
  site: SimulatedChildSite,
  arrival: IncomingCall,
): { location: string; cookies: string[] } | undefined {
  const { fields } = arrival;
  if (!site.state.childActive || textField(fields, 'login_required') !== '1') return undefined;
  const where = textField(fields, 'where');
  if (refuseSignature(site, fields, where + textField(fields, 'nonce')) !== undefined) return undefined;
  const user = userOfSignedCall(site.state, { ...fields, function: where });
  if (user === undefined || typeof user === 'string') return undefined;
  const open = textField(fields, 'open_location');
  const location = open === '' ? `${site.siteUrl}/wp-admin/${where}` : `${site.siteUrl}${open}`;
  return { location, cookies: loginCookies(user, arrival.cookies).slice(0, 3) };
}
