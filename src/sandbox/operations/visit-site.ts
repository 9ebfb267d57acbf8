import { frontPage } from '../pages.ts';
import { parseForm, recordField, textField, type PhpFormFields } from '../protocol/form.ts';
import { phpJson } from '../protocol/frame.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Call } from './call.ts';
import { appendChange } from './logs.ts';
import { brokenHomePage } from './running-versions.ts';

const ACTIONS = ['bulk_settings_manager_visit_site_as_browser', 'skeleton_key_visit_site_as_browser'];
const AJAX_URL = 'wp-admin/admin-ajax.php';
const HOME_URL = 'index.php';
const NETWORK_URL = 'wp-admin/network/plugins.php';
const MY_SITES_URL = 'wp-admin/my-sites.php';
const NO_MULTISITE = '<div class="wp-die-message">Multisite support is not enabled.</div>';

const CRITICAL_ERROR = '<p>There has been a critical error on this website.</p>';

/**
 * Simulates `bulk_settings_manager`: the child posts a form to its own site as the connected administrator (protocol
 * 4.3). Only the switch of automatic updates has an effect here. Only the home page and the list of network plugins
 * have content.
 */
export function visitSite(call: Call): Reply {
  const { fields, siteUrl } = call;
  if (!ACTIONS.includes(textField(fields, 'action'))) return frameReply({ error: 'Unknown action' });
  const url = textField(fields, 'url');
  if (url.length < 2) return frameReply({ error: 'Missing url' });
  if (typeof fields['args'] !== 'object') return frameReply({ error: 'Missing args' });
  const args = recordField(fields, 'args');
  const nonce = parseForm(textField(args, 'nonce'));
  const post = { ...parseForm(textField(args, 'post')), ...nonce };
  const isSwitch = url === AJAX_URL && textField(post, 'action') === 'toggle-auto-updates';
  const content = isSwitch ? switchAutoUpdate(call, post) : contentOf(call, url);
  if (content === null) return frameReply({ error: 'Invalid nonce! Try to use: updates' });
  return frameReply({
    success: 1,
    content,
    url: `${siteUrl}/${url}`,
    get: nonce,
    post,
    search_ok_counter: countFoundTexts(args, 'ok', content),
    search_fail_counter: countFoundTexts(args, 'fail', content),
  });
}

function contentOf(call: Call, url: string): string {
  if (call.defects.visitedPage !== null) return call.defects.visitedPage;
  if (url === NETWORK_URL) return networkPlugins(call);
  if (url === MY_SITES_URL)
    return isMultisite(call.defects) ? '<form id="myblogs" method="post"></form>' : NO_MULTISITE;
  if (url !== HOME_URL) return '';
  const toolbar = '<link rel="stylesheet" href="/wp-includes/css/admin-bar.css" /><div id="wpadminbar"></div>';
  return brokenHomePage(call) === undefined
    ? frontPage(call.state.title) + toolbar
    : `<body id="error-page"><div class="wp-die-message">${CRITICAL_ERROR}</div></body>`;
}

/**
 * Returns the page with the plugins of a network (multisite). If none is active in the network, WordPress lists all
 * plugins. A single site has no such page.
 */
function networkPlugins({ defects, siteUrl, state }: Call): string {
  const { networkActive, hasNetworkRights } = defects;
  if (!isMultisite(defects)) return NO_MULTISITE;
  if (!hasNetworkRights)
    return '<div class="wp-die-message">Sorry, you are not allowed to manage plugins for this site.</div>';
  const shown = networkActive.size > 0 ? networkActive : state.plugins.keys();
  return [...shown]
    .map((file) => {
      const status = networkActive.has(file) ? 'active' : 'inactive';
      return `<tr class="${status} update" data-slug="x" data-plugin="${file}"><td>${siteUrl}</td></tr>`;
    })
    .join('');
}

const isMultisite = ({ networkActive, isMultisite: isOne }: Call['defects']): boolean =>
  isOne || networkActive.size > 0;

function countFoundTexts(args: PhpFormFields, kind: 'ok' | 'fail', content: string): number {
  const wanted = recordField(recordField(args, 'search'), kind);
  return Object.values(wanted).filter(
    (text) => typeof text === 'string' && content.toLowerCase().includes(text.toLowerCase()),
  ).length;
}

/**
 * Simulates switching automatic updates of an item, with the checks in the order of WordPress. Returns null for a nonce
 * of another action. A child from 6.0 on first logs the change, and dies if it does not find the theme.
 */
function switchAutoUpdate(call: Call, post: PhpFormFields): string | null {
  const { plugins, themes, autoUpdates } = call.state;
  const [type, wanted, sent] = [textField(post, 'type'), textField(post, 'state'), textField(post, 'asset')];
  const logs = Number.parseInt(call.state.childVersion, 10) >= 6;
  if (logs && type === 'theme' && !themes.has(sent)) return CRITICAL_ERROR;
  const known = type === 'theme' ? themes.get(sent) : plugins.get(sent);
  if (logs && known) logSwitch(call, type, known.definition.name, wanted === 'enable');
  if (textField(post, '_ajax_nonce') !== 'updates') return null;
  if (type === '' || sent === '' || wanted === '') return failure('Invalid data. No selected item.');
  if (wanted !== 'enable' && wanted !== 'disable') return failure('Invalid data. Unknown state.');
  if (type !== 'plugin' && type !== 'theme') return failure('Invalid data. Unknown type.');
  const asset = decodeURIComponent(sent.replace(/\+/g, ' '));
  const isInstalled = type === 'plugin' ? plugins.get(asset)?.mu === false : themes.has(asset);
  if (!isInstalled) return failure('Invalid data. The item does not exist.');
  if (wanted === 'enable') autoUpdates[type].add(asset);
  else autoUpdates[type].delete(asset);
  return phpJson({ success: true });
}

function logSwitch({ state, user, now }: Call, type: string, name: string, on: boolean): void {
  appendChange(state, now, {
    typeId: type === 'theme' ? 1470 : 1460,
    context: type,
    action: on ? 'enabled' : 'disabled',
    login: user?.login ?? '',
    meta: { name },
  });
}

const failure = (error: string): string => phpJson({ success: false, data: { error } });
