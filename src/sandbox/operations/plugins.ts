import { phpMap } from '../protocol/frame.ts';
import { splitCommaList, hasField, textField, isTruthy, type PhpFormFields } from '../protocol/form.ts';
import { frameReply, SILENT_FATAL, type Reply } from '../protocol/reply.ts';
import { CHILD_PLUGIN_FILE, REPORTS_PLUGIN_FILE } from '../state/catalogue.ts';
import type { Plugin, SiteState } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';
import { folderOf, pluginEntry } from './inventory-views.ts';
import { recordForReport } from './logs.ts';
import { runsNewest } from './running-versions.ts';
import { syncBlock } from './stats.ts';

/**
 * This file simulates the list and the actions of plugins (protocol 4.2). The child reports success even if nothing was
 * changed.
 */

interface ActionData {
  name: string;
  version: string;
  slug: string;
  created?: number;
}

export function getAllPlugins({ state, fields }: Call): Reply {
  const all = [...state.plugins.values()].map(pluginEntry);
  return frameReply(filterPluginRows(all, fields, 'installed_plugins'));
}

export function filterPluginRows(
  all: Record<string, unknown>[],
  fields: PhpFormFields,
  installedKey: string,
): Record<string, unknown> {
  const byStatus = !hasField(fields, 'filter') || isTruthy(fields['filter']);
  const wanted = textField(fields, 'status') === 'active' ? 1 : 0;
  const keywords = splitCommaList(textField(fields, 'keyword')).map((word) => word.trim().toLowerCase());
  const invert = textField(fields, 'not_criteria') === '1';
  const data = all.filter((item) => {
    if (byStatus && item['active'] !== wanted) return false;
    if (keywords.length === 0) return true;
    const name = String(item['name']).toLowerCase();
    return keywords.some((word) => name.includes(word)) !== invert;
  });
  const addAll = data.length === 0 && textField(fields, 'not_installed') === '1';
  return { data, ...(addAll ? { [installedKey]: all } : {}) };
}

export function pluginAction(call: Call): Reply {
  const action = textField(call.fields, 'action');
  const files = textField(call.fields, 'plugin').split('||');
  if (action === 'changelog_info')
    return frameReply({
      update: changelog(call.state, textField(call.fields, 'slug')),
      status: 'SUCCESS',
      other_data: { plugin_action_data: [], duration_bulk: 0 },
    });
  const done: [string, ActionData][] = [];
  const deactivated: [string, ActionData][] = [];
  const before = [...call.state.plugins.values()].map(pluginEntry);
  let known = true;
  for (const file of files) {
    if (file === CHILD_PLUGIN_FILE) continue;
    const plugin = call.state.plugins.get(file);
    if (action === 'activate') {
      const isUnparsable = call.defects.unparsable.has(file) && plugin?.update === null && !plugin.active;
      if (isUnparsable || call.defects.fatalOnActivation.has(file)) return SILENT_FATAL;
      const last = call.defects.stopsActivation.get(file);
      if (last !== undefined) return { kind: 'html', body: last };
      done.push([file, pluginActionDataOf(file, plugin)]);
      setActive(call, plugin, true);
    } else if (action === 'deactivate') {
      done.push([file, pluginActionDataOf(file, plugin)]);
      setActive(call, plugin, false);
    } else if (action === 'delete') {
      if (plugin === undefined || plugin.mu) continue;
      const data = { ...pluginActionDataOf(file, plugin), created: unixSecondsOf(call) };
      // The child deactivates a plugin before it deletes the files. If the deletion fails, the plugin stays inactive.
      if (plugin.active) deactivated.push([file, data]);
      if (call.defects.unwritable.has(file)) setActive(call, plugin, false);
      else if (removePlugin(call, plugin)) done.push([file, data]);
    } else {
      known = false;
    }
  }
  const reply = frameReply({
    status: known ? 'SUCCESS' : 'FAIL',
    sync: action === 'delete' ? staleAfterDeletion(call, before) : syncBlock(call),
    other_data: {
      plugin_action_data: phpMap(done),
      duration_bulk: done.length + deactivated.length,
      ...(deactivated.length === 0 ? {} : { plugin_deactivated_data: phpMap(deactivated) }),
    },
  });
  for (const file of files)
    if (call.defects.deactivatesItself.has(file) && runsNewest(call.state, file))
      setActive(call, call.state.plugins.get(file), false);
  return reply;
}

/**
 * Returns the sync block after a deletion. WordPress caches the list of plugins, so the block still contains the
 * plugins that this call deleted, as inactive. The rest of the block is up to date.
 */
function staleAfterDeletion(call: Call, before: readonly Record<string, unknown>[]): Record<string, unknown> {
  const block = syncBlock(call);
  if (!Array.isArray(block['plugins'])) return block;
  const now = new Map((block['plugins'] as Record<string, unknown>[]).map((entry) => [entry['slug'], entry]));
  return { ...block, plugins: before.map((entry) => now.get(entry['slug']) ?? { ...entry, active: 0 }) };
}

function pluginActionDataOf(file: string, plugin: Plugin | undefined): ActionData {
  return { name: plugin?.definition.name ?? '', version: plugin?.version ?? '', slug: file };
}

function setActive(call: Call, plugin: Plugin | undefined, active: boolean): void {
  if (plugin === undefined || plugin.mu || call.defects.falseSuccesses.has(plugin.definition.file)) return;
  if (plugin.active === active) return;
  plugin.active = active;
  reportPlugin(call, plugin, active ? 'activated' : 'deactivated');
}

function removePlugin(call: Call, plugin: Plugin): boolean {
  const { file } = plugin.definition;
  if (call.defects.falseSuccesses.has(file)) return true;
  call.state.plugins.delete(file);
  dropTranslations(call.state, folderOf(file));
  reportPlugin(call, plugin, 'deleted');
  return true;
}

export function dropTranslations(state: SiteState, slug: string): void {
  state.translations = state.translations.filter((item) => item.slug !== slug);
}

export function reportPlugin(call: Call, plugin: Plugin, action: string, oldVersion = ''): void {
  recordForReport(
    call,
    'plugin',
    action,
    {
      name: plugin.definition.name,
      slug: plugin.definition.file,
      'old.version': oldVersion,
      'current.version': ['installed', 'updated'].includes(action) ? plugin.version : '',
    },
    isReportsPluginActive(call.state),
  );
}

export function isReportsPluginActive(state: SiteState): boolean {
  return state.plugins.get(REPORTS_PLUGIN_FILE)?.active === true;
}

function changelog(state: SiteState, slug: string): unknown {
  const plugin = [...state.plugins.values()].find((item) => folderOf(item.definition.file) === slug);
  if (plugin === undefined) return [];
  const version = plugin.update ?? plugin.version;
  return { name: plugin.definition.name, slug, version, sections: { changelog: `<h4>${version}</h4><p>Fixes.</p>` } };
}
