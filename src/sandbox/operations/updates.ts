import { phpMap } from '../protocol/frame.ts';
import { splitCommaList, hasField, textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Plugin } from '../state/site-state.ts';
import { type Call } from './call.ts';
import { barePluginUpdates, phpSuffices, themeUpdates } from './inventory-views.ts';
import { recordForReport } from './logs.ts';
import { reportPlugin, isReportsPluginActive } from './plugins.ts';
import { cacheFields, syncBlock } from './stats.ts';
import { reportTheme } from './themes.ts';
import { updateFailureOf, type ReportedFailure } from './update-failures.ts';
import { coreUpgradeOutput, translationUpgradeOutput, itemUpgradeOutput } from './upgrade-output.ts';

/** This file simulates updates (protocol 4.3): the result that the child reports, and the real change. */

const INVALID: Reply = frameReply({ error: 'Invalid request!' });
const CACHE_LOG = '{"status":"Disabled","action":"SUCCESS","do_purge":"0"}';

export function upgradePluginTheme(call: Call): Reply {
  const type = textField(call.fields, 'type');
  const slugs = splitCommaList(textField(call.fields, 'list'));
  if (slugs.length === 0) return INVALID;
  if (type === 'plugin') return upgradePlugins(call, slugs.map(decodedOnce));
  if (type === 'theme') return upgradeThemes(call, slugs);
  return INVALID;
}

/** Decodes a slug. For plugins and translations, the child URL-decodes the list a second time (protocol 1.4). */
function decodedOnce(slug: string): string {
  try {
    return decodeURIComponent(slug.replace(/\+/g, ' '));
  } catch {
    return slug;
  }
}

const upgradeOtherData = (updated: [string, unknown][], codes: [string, string][]): object => ({
  updated_data: phpMap(updated),
  ...(codes.length === 0 ? {} : { upgrade_error_codes: phpMap(codes) }),
});

function upgradePlugins(call: Call, files: string[]): Reply {
  const { state } = call;
  const before = barePluginUpdates(state, call.siteUrl);
  const upgrades: [string, boolean][] = [];
  const errors: [string, string][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  const failures = new Map<string, ReportedFailure>();
  for (const file of files) {
    const plugin = state.plugins.get(file);
    const name = plugin?.definition.name ?? '';
    const failure = plugin?.update == null ? undefined : failureOfPlugin(call, plugin);
    if (plugin !== undefined && failure !== undefined) {
      failures.set(file, failure);
      errors.push([file, failure.text]);
      codes.push([file, failure.codes]);
      // The child reports the old version of a failed plugin only if the package was unpacked, or if an earlier plugin
      // in the list was updated.
      const knowsOld = failure.unpacked || upgrades.length > 0;
      updated.push([
        file,
        {
          name: failure.unpacked ? name : escapeNameAmpersands(name),
          old_version: knowsOld ? plugin.version : '',
          slug: file,
          success: 0,
          error: failure.text,
          ...(failure.unpacked ? { rollback: 1 } : {}),
          ...(failure.codes.startsWith('remove_old_failed') ? {} : { version: plugin.version }),
        },
      ]);
      if (failure.codes.startsWith('remove_old_failed')) state.plugins.delete(file);
      continue;
    }
    upgrades.push([file, true]);
    updated.push([file, { name, ...updatePlugin(call, file, plugin) }]);
  }
  const noise = itemUpgradeOutput('Plugin', files, call.siteUrl, failures);
  // If `send_exit` has any value, the child does the work but writes no frame (protocol 1.3).
  if (hasField(call.fields, 'send_exit')) return { kind: 'html', body: `${noise}0` };
  state.cacheLog = CACHE_LOG;
  return frameReply(
    {
      upgrades: phpMap(upgrades),
      other_data: upgradeOtherData(updated, codes),
      plugin_updates: before,
      ...(errors.length === 0 ? {} : { upgrades_error: phpMap(errors) }),
      ...cacheFields(state),
    },
    noise,
  );
}

function failureOfPlugin(call: Call, plugin: Plugin): ReportedFailure | undefined {
  const { file } = plugin.definition;
  if (phpSuffices(call.state, plugin)) return updateFailureOf(call.defects, file, 'plugin');
  const updateFailures = new Map([[file, 'incompatible_php_required_version' as const]]);
  return updateFailureOf({ ...call.defects, updateFailures }, file, 'plugin');
}

const escapeNameAmpersands = (name: string): string => name.replace(/&/g, '&amp;');

function updatePlugin(call: Call, file: string, plugin: Plugin | undefined): Record<string, unknown> {
  if (plugin === undefined) return { old_version: '', slug: file, success: 1 };
  const oldVersion = plugin.version;
  const wanted = plugin.update;
  if (wanted === null) return { old_version: '', slug: file, success: 1, version: oldVersion };
  if (!call.defects.falseSuccesses.has(file)) {
    plugin.version = wanted;
    plugin.update = null;
    reportPlugin(call, plugin, 'updated', oldVersion);
  }
  const renamed = call.defects.renamedFiles.get(file);
  if (renamed !== undefined) {
    // WordPress keeps the old file in its list of active plugins, so the plugin is inactive under its new file. The
    // child finds no version in the old file (read in its source code).
    call.state.plugins.delete(file);
    const definition = { ...plugin.definition, file: renamed };
    call.state.plugins.set(renamed, { ...plugin, definition, active: false });
    return { old_version: oldVersion, slug: file, success: 1 };
  }
  return { old_version: oldVersion, slug: file, success: 1, version: wanted };
}

/**
 * Updates themes. A failed theme update is `false` in `upgrades` and a text in `updated_data`. `upgrades_error` is
 * missing.
 */
function upgradeThemes(call: Call, stylesheets: string[]): Reply {
  const { state } = call;
  const before = themeUpdates(state, call.siteUrl);
  const upgrades: [string, boolean][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  const failures = new Map<string, ReportedFailure>();
  for (const slug of stylesheets) {
    const theme = state.themes.get(slug);
    const oldVersion = theme?.version ?? '';
    const wanted = theme?.update ?? null;
    const failure = theme === undefined || wanted === null ? undefined : updateFailureOf(call.defects, slug, 'theme');
    if (theme !== undefined && failure !== undefined) {
      failures.set(slug, failure);
      upgrades.push([slug, false]);
      codes.push([slug, failure.codes]);
      const messages = failure.unpacked
        ? { name: theme.definition.name, old_version: oldVersion, slug, success: 0, rollback: 1 }
        : { name: '', old_version: '', slug, success: 0 };
      updated.push([slug, { ...messages, error: failure.text, version: oldVersion }]);
      continue;
    }
    if (theme !== undefined && wanted !== null && !call.defects.falseSuccesses.has(slug)) {
      theme.version = wanted;
      theme.update = null;
      reportTheme(call, theme, 'updated', oldVersion);
    }
    upgrades.push([slug, true]);
    const result = {
      name: theme?.definition.name ?? '',
      old_version: wanted === null ? '' : oldVersion,
      slug,
      success: 1,
    };
    updated.push([slug, { ...result, ...(theme === undefined ? {} : { version: wanted ?? oldVersion }) }]);
  }
  const noise = itemUpgradeOutput('Theme', stylesheets, call.siteUrl, failures);
  if (hasField(call.fields, 'send_exit')) return { kind: 'html', body: `${noise}0` };
  state.cacheLog = CACHE_LOG;
  return frameReply(
    {
      upgrades: phpMap(upgrades),
      other_data: upgradeOtherData(updated, codes),
      theme_updates: before,
      sync: syncBlock(call),
      ...cacheFields(state),
    },
    noise,
  );
}

/** The conditions are checked in the order of WordPress. */
export function upgradeCore(call: Call): Reply {
  const { state } = call;
  const { core } = state;
  if (core.locked) return frameReply({ error: 'Another update is currently in progress.' });
  state.cacheLog = CACHE_LOG;
  if (!core.offersReachable) return frameReply({ upgrade: 'NORESPONSE', ...cacheFields(state) });
  if (core.update === null) return frameReply({ upgrade: 'SUCCESS', ...cacheFields(state) });
  const failure = updateFailureOf(call.defects, 'core', 'core');
  if (failure !== undefined)
    return frameReply({ upgrade: 'WPERROR', ...cacheFields(state) }, coreUpgradeOutput(failure));
  const oldVersion = core.version;
  const version = core.update;
  if (!call.defects.falseSuccesses.has('core')) {
    core.version = version;
    core.update = null;
    const values = { 'old.version': oldVersion, 'current.version': version };
    recordForReport(call, 'wordpress', 'updated', values, isReportsPluginActive(state));
  }
  return frameReply(
    { upgrade: 'SUCCESS', old_version: oldVersion, version, ...cacheFields(state) },
    coreUpgradeOutput(),
  );
}

export function upgradeTranslation(call: Call): Reply {
  const { state } = call;
  const wanted = splitCommaList(textField(call.fields, 'list')).map(decodedOnce);
  const upgrades: [string, boolean][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  const printed: { name: string; failure: ReportedFailure | undefined }[] = [];
  for (const slug of wanted) {
    const item = state.translations.find((translation) => translation.slug === slug);
    if (item === undefined) continue;
    const failure = updateFailureOf(call.defects, slug, 'translation');
    const failing = failure !== undefined;
    printed.push({ name: item.name, failure });
    if (failing) codes.push([slug, 'undefined_error']);
    else if (!call.defects.falseSuccesses.has(slug)) {
      state.translations = state.translations.filter((translation) => translation.slug !== slug);
    }
    upgrades.push([slug, !failing]);
    const { name, type, version } = item;
    updated.push([slug, { name, slug, type, version, success: failing ? 0 : 1 }]);
  }
  return frameReply(
    {
      upgrades: phpMap(upgrades),
      other_data: upgradeOtherData(updated, codes),
      sync: syncBlock(call),
    },
    translationUpgradeOutput(printed),
  );
}
