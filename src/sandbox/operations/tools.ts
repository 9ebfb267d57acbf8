import { hasField, textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import { CHILD_PLUGIN_FILE, REPORTS_PLUGIN_FILE } from '../state/catalogue.ts';
import { unixSecondsOf, type Call } from './call.ts';
import { abandonedPlugins, abandonedThemes } from './inventory-views.ts';
import { clearConnection } from '../state/connection.ts';
import { activeCachePluginName } from './stats.ts';

/**
 * This file simulates small tools (protocol 4.8), the check for abandoned plugins and themes (4.1), and disconnecting
 * (2.9).
 */

export function settingsTools({ state, fields }: Call): Reply {
  if (!hasField(fields, 'action')) return frameReply({ error: 'Missing action' });
  if (textField(fields, 'action') !== 'force_destroy_sessions') return frameReply({ error: 'Invalid action' });
  const connected = state.users.find((user) => user.login === state.connection.connectedAdmin);
  if (connected === undefined) return frameReply({ error: 'Cannot get user_id' });
  connected.sessionEpoch += 1;
  return frameReply({ success: 1 });
}

export function cachePurgeAction(call: Call): Reply {
  const solution = activeCachePluginName(call.state);
  if (solution === undefined) return frameReply({ status: 'Disabled', action: 'SUCCESS' });
  call.state.cachePurgedAt = unixSecondsOf(call);
  const result = {
    'Last Purged': call.state.cachePurgedAt,
    'Cache Solution': solution,
    'Cache Control Enabled': '1',
    'Cloudflair Enabled': '0',
    result: `${solution} => Cache auto cleared on: (${call.state.cachePurgedAt})`,
    action: 'SUCCESS',
  };
  call.state.cacheLog = JSON.stringify(result);
  return frameReply(result);
}

export function getSiteIcon({ state, siteUrl }: Call): Reply {
  return frameReply(state.iconUrl === '' ? [] : { faviIconUrl: `${siteUrl}/${state.iconUrl}` });
}

export function updateValues({ state, fields }: Call): Reply {
  state.uniqueId = textField(fields, 'uniqueId');
  return frameReply({ result: 'ok' });
}

export function checkAbandoned(call: Call): Reply {
  const { state, fields } = call;
  const now = unixSecondsOf(call);
  if (textField(fields, 'which') === 'plugin') {
    state.abandoned.pluginsChecked = true;
    return frameReply({ sync: { plugins_outdate_info: abandonedPlugins(state, now) }, success: 1 });
  }
  state.abandoned.themesChecked = true;
  return frameReply({ sync: { themes_outdate_info: abandonedThemes(state, now) }, success: 1 });
}

export function disconnect({ state }: Call): Reply {
  clearConnection(state);
  return frameReply({ result: 'success' });
}

/**
 * Simulates `deactivate`. The child plugin and Child Reports deactivate themselves, and then the site responds like one
 * without the plugin.
 */
export function deactivate({ state }: Call): Reply {
  state.childActive = false;
  for (const file of [CHILD_PLUGIN_FILE, REPORTS_PLUGIN_FILE]) {
    const plugin = state.plugins.get(file);
    if (plugin !== undefined) plugin.active = false;
  }
  clearConnection(state);
  return frameReply({ deactivated: true });
}
