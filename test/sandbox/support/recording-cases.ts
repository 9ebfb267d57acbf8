import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import type { RecordingCase } from './recording-case.ts';
import { USER_AND_CONTENT_CASES } from './user-and-content-cases.ts';
import {
  base64Json,
  sendSigned,
  encode,
  post,
  registration,
  send,
  SERVER,
  type ChildResponse,
  type Form,
} from './dashboard.ts';

const signed =
  (name: string, form: Form = {}) =>
  (site: SimulatedSite): Promise<ChildResponse> =>
    sendSigned(site, name, form);

const registering =
  (form: (site: SimulatedSite) => Form = () => ({})) =>
  (site: SimulatedSite): Promise<ChildResponse> =>
    post(site, registration(site, form(site)));

const simple = (name: string, form: Form = {}): RecordingCase => ({ request: signed(name, form) });

const NEW_POST = {
  post_title: "It's new back",
  post_content: '<p>Hello</p>',
  post_status: 'publish',
  post_type: 'post',
  post_tags: 't1,t%20two',
};

const newPost = (more: Form = {}): Form => ({ new_post: base64Json({ ...NEW_POST, ...more }) });
const upgrade = (type: string, list: string): RecordingCase => simple('upgradeplugintheme', { type, list });
const plugins = (action: string, plugin: string): RecordingCase => simple('plugin_action', { action, plugin });
const themes = (action: string, theme: string): RecordingCase => simple('theme_action', { action, theme });
const posts = (action: string, id: number, more: Form = {}): RecordingCase =>
  simple('post_action', { action, id, ...more });

const A = 'dummy-a/dummy-a.php';
const B = 'dummy-b/dummy-b.php';
const FAILING_B = (site: SimulatedSite): unknown => site.defects.failingPackages.add(B);
const REPORTING = (site: SimulatedSite): unknown =>
  site.performWpAdminAction({ do: 'install-plugin', folder: 'mainwp-child-reports' });

function withReports(site: SimulatedSite): void {
  REPORTING(site);
  site.performWpAdminAction({ do: 'activate-plugin', plugin: 'mainwp-child-reports/mainwp-child-reports.php' });
  const at = Math.floor(Date.now() / 1000);
  site.state.reports.push({ at, context: 'plugin', action: 'activated', author: 'admin', values: { name: 'Dummy A' } });
}

const COUNTERS = ['plugin.activated', 'plugin.updated', 'post.created', 'comment.created', 'theme.activated'].map(
  (what) => `[${what}.count]`,
);

const REPORT = {
  mwp_action: 'get_stream',
  date_from: '0',
  date_to: '9999999999',
  sections: base64Json({
    body: {
      section_token: ['[section.plugins.activated]', '[section.users.deleted]'],
      section_content_tokens: [
        ['[plugin.name]', '[plugin.activated.date]', '[plugin.activated.author]'],
        ['[user.name]'],
      ],
    },
  }),
  other_tokens: base64Json({ header: COUNTERS, body: [], footer: [] }),
};

const LOGGED = (site: SimulatedSite): void => {
  site.performWpAdminAction({ do: 'deactivate-plugin', plugin: A });
  site.performWpAdminAction({ do: 'activate-plugin', plugin: A });
};

export const RECORDING_CASES: Record<string, RecordingCase> = {
  '01-stats-noauth': { fresh: true, request: (site) => post(site, { user: 'admin', function: 'stats' }) },
  '01b-stats-noauth-root': {
    fresh: true,
    request: (site) => send(site.url, encode({ user: 'admin', function: 'stats' }), { path: '/' }),
  },
  '02-callable-without-signature': {
    fresh: true,
    request: (site) => post(site, { user: 'admin', function: 'security' }),
  },
  '03-register-nopubkey': { fresh: true, request: registering(() => ({ pubkey: '' })) },
  '04-register-wrongpw': { fresh: true, request: registering(() => ({ userpwd: 'wrong' })) },
  '05-register-nopw': { fresh: true, request: registering(() => ({ userpwd: '' })) },
  '05b-register-nopw-oldver': { fresh: true, request: registering(() => ({ userpwd: '', mainwpver: '5.2' })) },
  '06-register-nouser': { fresh: true, request: registering(() => ({ user: 'nobody' })) },
  '07-register-ok': { fresh: true, request: registering() },
  '08-stats-noauth-when-connected': { request: (site) => post(site, { user: 'admin', function: 'stats' }) },
  '09-stats': simple('stats', {
    optimize: 1,
    othersData: '[]',
    server: SERVER,
    syncdata: '{"wp_updates":1,"plugins":1}',
    params_logs: { events_count: 100 },
  }),
  '10-badsig': { request: (site) => sendSigned(site, 'stats', { nonce: '999' }) },
  '11-nosigalgo': { request: (site) => sendSigned(site, 'stats', {}, { algo: undefined }) },
  '11b-sha1-after-sha256': { request: (site) => sendSigned(site, 'stats', {}, { algo: 1 }) },
  '12-unknown-function': simple('no_such_function'),
  '13-wrong-user': simple('stats', { user: 'nobody' }),
  '16-plugins-all': simple('get_all_plugins', { filter: 0 }),
  '16b-plugins-active': simple('get_all_plugins', { filter: 1, status: 'active' }),
  '17-themes-all': simple('get_all_themes', { filter: 0 }),
  '18-posts': simple('get_all_posts', { status: 'publish,draft,pending' }),
  '18b-posts-nostatus': simple('get_all_posts'),
  '19-pages': simple('get_all_pages', { status: 'publish,draft' }),
  '20-comments': simple('get_all_comments', { status: 'approve,hold,spam,trash' }),
  '20b-comments-nostatus': simple('get_all_comments'),
  '21-users': simple('get_all_users', { role: 'administrator,editor' }),
  '21b-search-users': simple('search_users', { search: '*a*', search_columns: 'user_login,display_name,user_email' }),
  '22-security': simple('security'),
  '30-upgrade-plugin': upgrade('plugin', A),
  '31-upgrade-plugin-again': {
    prepare: (site) => sendSigned(site, 'upgradeplugintheme', { type: 'plugin', list: A }),
    ...upgrade('plugin', A),
  },
  '32-upgrade-plugin-missing': upgrade('plugin', 'nope/nope.php'),
  '33-upgrade-plugin-404package': { prepare: FAILING_B, ...upgrade('plugin', B) },
  '34-upgrade-theme-404package': {
    prepare: (site) => site.defects.failingPackages.add('rig-theme'),
    request: signed('upgradeplugintheme', { type: 'theme', list: 'rig-theme', optimize: 1 }),
  },
  '35-upgrade-theme': { request: signed('upgradeplugintheme', { type: 'theme', list: 'rig-theme', optimize: 1 }) },
  '36-upgrade-badtype': upgrade('nonsense', A),
  '37-upgrade-core-none': { prepare: (site) => (site.state.core.offersReachable = false), ...simple('upgrade') },
  '38-upgrade-translation-none': simple('upgradetranslation', { type: 'translation', list: 'nothing' }),
  '40-plugin-deactivate': plugins('deactivate', `${A}||${B}`),
  '41-plugin-activate': plugins('activate', A),
  '42-plugin-delete': plugins('delete', 'dummy-c/dummy-c.php'),
  '42b-plugin-delete-active': plugins('delete', A),
  '43-plugin-delete-self': plugins('delete', 'mainwp-child/mainwp-child.php'),
  '43b-plugin-deactivate-self': plugins('deactivate', 'mainwp-child/mainwp-child.php'),
  '44-plugin-bad-action': plugins('explode', A),
  '45-plugin-activate-missing': plugins('activate', 'nope/nope.php'),
  '46-theme-activate': themes('activate', 'rig-theme'),
  '47-theme-delete-active': {
    request: (site) => sendSigned(site, 'theme_action', { action: 'delete', theme: site.state.activeTheme }),
  },
  '49-theme-delete': {
    request: (site) =>
      sendSigned(site, 'theme_action', { action: 'delete', theme: `rig-theme||${site.state.activeTheme}` }),
  },
  '50-install': {
    prepare: (site) => (site.defects.namedPackages = true),
    request: signed('installplugintheme', { type: 'plugin', url: '"http://p.test/dummy-d-0.9.0.zip"' }),
  },
  '51-install-404': {
    prepare: (site) => {
      site.defects.namedPackages = true;
      site.defects.failingPackages.add('gone');
    },
    request: signed('installplugintheme', { type: 'plugin', url: '"http://p.test/gone-1.0.zip"' }),
  },
  '52-install-noargs': simple('installplugintheme'),
  '60-newpost': simple('newpost', newPost()),
  '61-get-edit': posts('get_edit', 1, { post_type: 'post' }),
  '62-editpost': simple('newpost', newPost({ ID: 1, post_title: 'Edited title' })),
  '62b-editpost-wrongtype': simple('newpost', newPost({ ID: 1, post_type: 'page' })),
  '63-unpublish': posts('unpublish', 1),
  '64-publish': posts('publish', 3),
  '65-trash': posts('trash', 1),
  '66-restore': {
    prepare: (site) => sendSigned(site, 'post_action', { action: 'trash', id: 1 }),
    ...posts('restore', 1),
  },
  '67-delete': posts('delete', 1),
  '68-publish-missing': posts('publish', 999_999),
  '69-trash-missing': posts('trash', 999_999),
  '70-badaction': posts('explode', 1),
  '71-newpage': simple('newpost', newPost({ post_type: 'page', post_status: 'draft' })),
  '72-get-edit-page': posts('get_edit', 2, { post_type: 'page' }),
  '72b-get-edit-missing': posts('get_edit', 999_999, { post_type: 'post' }),
  '73-newpost-future': simple(
    'newpost',
    newPost({ post_status: 'future', post_date: '2099-01-02 03:04:05', post_date_gmt: '2099-01-02 03:04:05' }),
  ),
  '80-comment-approve': simple('comment_action', { action: 'approve', id: 1 }),
  '81-comment-delete': simple('comment_action', { action: 'delete', id: 1 }),
  '82-comment-missing': simple('comment_action', { action: 'approve', id: 999_999 }),
  '83-comment-bad': simple('comment_action', { action: 'explode', id: 1 }),
  '84-comment-bulk': simple('comment_bulk_action', { action: 'trash', ids: '1,2,999999' }),
  '85-comment-bulk-bad': simple('comment_bulk_action', { action: 'explode', ids: '1' }),
  '90-secfix': simple('securityFix', { feature: 'all' }),
  '91-secfix-one': simple('securityFix', { feature: 'php_reporting' }),
  '92-security': { prepare: (site) => sendSigned(site, 'securityFix', { feature: 'all' }), ...simple('security') },
  '93-secunfix': simple('securityUnFix', { feature: 'all' }),
  '94-check-abandoned': simple('check_abandoned', { which: 'plugin' }),
  '94b-check-abandoned-theme': simple('check_abandoned', { which: 'theme' }),
  '95-cache-purge': {
    prepare: (site) => site.state.plugins.delete('wp-super-cache/wp-cache.php'),
    ...simple('cache_purge_action'),
  },
  '96-user-edit': simple('user_action', { action: 'edit', id: 2 }),
  '96b-user-changerole': simple('user_action', { action: 'changeRole', id: 3, extra: 'contributor' }),
  '96c-user-update': simple('user_action', { action: 'update_user', id: 3, extra: { email: 'no address' } }),
  '96d-user-delete': simple('user_action', { action: 'delete', id: 3 }),
  '97-newuser': simple('newuser', {
    new_user: base64Json({
      user_login: 'u9',
      user_pass: 'x',
      user_email: 'u9@x.test',
      role: 'nonsense',
      first_name: 'U',
    }),
  }),
  '97b-newuser-dup': simple('newuser', {
    new_user: base64Json({ user_login: 'admin', user_pass: 'x', user_email: 'z@x.test' }),
  }),
  '97c-newadminpassword': simple('newadminpassword', { new_password: Buffer.from('new').toString('base64') }),
  '98-settings-tools': simple('settings_tools', { action: 'force_destroy_sessions' }),
  '98b-settings-tools-bad': simple('settings_tools', { action: 'explode' }),
  '99-client-report-noplugin': {
    prepare: (site) => site.state.plugins.delete('mainwp-child-reports/mainwp-child-reports.php'),
    request: signed('client_report', REPORT),
  },
  '99b-maintenance': simple('maintenance_site', { options: ['spam'] }),
  '99c-update-values': simple('update_values', { uniqueId: '' }),
  '99d-delete-actions': simple('delete_actions'),
  '99e-clean-up': simple('clean_up_child_logs'),
  ...USER_AND_CONTENT_CASES,
  'a1-rereg-otherserver': { request: registering(() => ({ server: 'https://other.example/wp-admin/' })) },
  'a2-rereg-otheruser': { request: registering(() => ({ user: 'editor1' })) },
  'a3-rereg-same-nopw-noverify': { request: registering(() => ({ userpwd: '' })) },
  'a4-rereg-bad-regverify': { request: registering(() => ({ userpwd: undefined, regverify: 'a-b' })) },
  'a4b-rereg-empty-regverify': { request: registering(() => ({ userpwd: undefined, regverify: '' })) },
  'a6-oldkey': { prepare: (site) => site.replaceKey('another key'), ...simple('stats') },
  'b1-disconnect': simple('disconnect'),
  'b2-call-after-disconnect': { prepare: (site) => sendSigned(site, 'disconnect'), ...simple('stats') },
  'c1-uniqueid-missing': {
    fresh: true,
    prepare: (site) => site.performWpAdminAction({ do: 'set-unique-id', uniqueId: 'secret' }),
    request: registering(),
  },
  'c2-uniqueid-wrong': {
    fresh: true,
    prepare: (site) => site.performWpAdminAction({ do: 'set-unique-id', uniqueId: 'secret' }),
    request: registering(() => ({ uniqueId: 'guess' })),
  },
  'd1-editor': { fresh: true, request: registering(() => ({ user: 'editor1', userpwd: 'editor1-pass' })) },
  'e2-pwauth-off-rereg-otherserver': {
    prepare: (site) => site.performWpAdminAction({ do: 'set-password-auth', user: 'admin', on: false }),
    request: registering(() => ({ server: 'https://other.example/wp-admin/' })),
  },
  'h2-seclib-pkcs1': simple('stats', { verifylib: 1 }),
  'j3-nonce-with-space': { request: (site) => sendSigned(site, 'stats', { nonce: ' 1234 ' }, { nonce: '1234 ' }) },
  'k1-stats-actions': {
    prepare: LOGGED,
    request: signed('stats', { optimize: 1, params_logs: { events_count: 100 } }),
  },
  'k2-client-report': { prepare: withReports, request: signed('client_report', REPORT) },
  'k3-client-report-empty': { prepare: withReports, request: signed('client_report', { mwp_action: 'get_stream' }) },
  'k4-client-report-noaction': { prepare: withReports, request: signed('client_report') },
  'l10-cross-user-admin': simple('stats', { user: 'editor1' }),
  'l2-newpost-nothing': simple('newpost'),
  'l3-bulk-approve-missing': simple('comment_bulk_action', { action: 'approve', ids: '1,999999' }),
  'l4-upgrade-nolist': simple('upgradeplugintheme', { type: 'plugin' }),
  'l5-send_exit': simple('upgradeplugintheme', { type: 'plugin', list: B, send_exit: 1 }),
  'l6-get_all_plugins-filter-omitted': simple('get_all_plugins'),
  'l7-posts-where': simple('get_all_posts', { status: 'publish', keyword: 'Hello', search_on: 'title' }),
  'l8-posts-any-status': simple('get_all_posts', { status: 'publish,draft' }),
  'l9-comment-status-all': simple('get_all_comments', { status: 'all' }),
  'm1-deactivate': simple('deactivate'),
  'm2-after-deactivate': { prepare: (site) => sendSigned(site, 'deactivate'), ...simple('stats') },
  'm3-noauth-after-deactivate': {
    prepare: (site) => sendSigned(site, 'deactivate'),
    request: (site) => post(site, { user: 'admin', function: 'stats' }),
  },
  'n4-call-after-garbage': { prepare: (site) => site.replaceKey('garbage'), ...simple('stats') },
};
