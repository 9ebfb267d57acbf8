import { phpMap } from '../protocol/frame.ts';
import { commaList, has, text } from '../protocol/form.ts';
import { answer, type Reply } from '../protocol/reply.ts';
import type { Plugin } from '../state/types.ts';
import { type Call } from './call.ts';
import { barePluginUpdates, phpSuffices, themeUpdates } from './inventory-views.ts';
import { recordForReport } from './logs.ts';
import { reportPlugin, reportsActive } from './plugins.ts';
import { cacheFields, syncBlock } from './stats.ts';
import { reportTheme } from './themes.ts';
import { upgradeNoise } from './upgrade-noise.ts';

/** Updates (protocol 4.3): what the child claims, and what really changes. */

const INVALID: Reply = answer({ error: 'Invalid request!' });
const DOWNLOAD_FAILED = { text: 'Download failed.', code: 'download_failed' };
const CACHE_LOG = '{"status":"Disabled","action":"SUCCESS","do_purge":"0"}';

export function upgradePluginTheme(call: Call): Reply {
  const type = text(call.fields, 'type');
  const slugs = commaList(text(call.fields, 'list'));
  if (slugs.length === 0) return INVALID;
  if (type === 'plugin') return upgradePlugins(call, slugs.map(decodedOnce));
  if (type === 'theme') return upgradeThemes(call, slugs);
  return INVALID;
}

/** For plugins and translations the child URL-decodes the list once more (protocol 1.4). */
function decodedOnce(slug: string): string {
  try {
    return decodeURIComponent(slug.replace(/\+/g, ' '));
  } catch {
    return slug;
  }
}

function upgradePlugins(call: Call, files: string[]): Reply {
  const { state } = call;
  const unfit = (file: string): boolean => {
    const plugin = state.plugins.get(file);
    return plugin?.update != null && !phpSuffices(state, plugin);
  };
  if (files.length === 1 && files.every(unfit)) {
    return answer({ error: 'The current PHP or WordPress versions do not meet minimum requirements for the update.' });
  }
  const before = barePluginUpdates(state, call.siteUrl);
  const upgrades: [string, boolean][] = [];
  const errors: [string, string][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  for (const file of files) {
    if (unfit(file)) continue;
    const plugin = state.plugins.get(file);
    const name = plugin?.definition.name ?? '';
    if (plugin !== undefined && plugin.update !== null && call.defects.failingPackages.has(file)) {
      errors.push([file, DOWNLOAD_FAILED.text]);
      codes.push([file, DOWNLOAD_FAILED.code]);
      const failure = { success: 0, error: DOWNLOAD_FAILED.text, version: plugin.version };
      updated.push([file, { name, old_version: '', slug: file, ...failure }]);
      continue;
    }
    upgrades.push([file, true]);
    updated.push([file, { name, ...renew(call, file, plugin) }]);
  }
  const noise = upgradeNoise('Plugin', files, call.siteUrl);
  // Any value of `send_exit` makes the child do the work and write no frame (protocol 1.3).
  if (has(call.fields, 'send_exit')) return { kind: 'html', body: `${noise}0` };
  state.cacheLog = CACHE_LOG;
  return answer(
    {
      upgrades: phpMap(upgrades),
      other_data: {
        updated_data: phpMap(updated),
        ...(codes.length === 0 ? {} : { upgrade_error_codes: phpMap(codes) }),
      },
      plugin_updates: before,
      ...(errors.length === 0 ? {} : { upgrades_error: phpMap(errors) }),
      ...cacheFields(state),
    },
    noise,
  );
}

/** Nothing to do and no such plugin are successes too, with an empty old version. */
function renew(call: Call, file: string, plugin: Plugin | undefined): Record<string, unknown> {
  if (plugin === undefined) return { old_version: '', slug: file, success: 1 };
  const oldVersion = plugin.version;
  const wanted = plugin.update;
  if (wanted === null) return { old_version: '', slug: file, success: 1, version: oldVersion };
  if (!call.defects.stubborn.has(file)) {
    plugin.version = wanted;
    plugin.update = null;
    reportPlugin(call, plugin, 'updated', oldVersion);
  }
  return { old_version: oldVersion, slug: file, success: 1, version: wanted };
}

/** A theme's failure is `false` among the upgrades and a text in `updated_data`, without `upgrades_error`. */
function upgradeThemes(call: Call, stylesheets: string[]): Reply {
  const { state } = call;
  const before = themeUpdates(state, call.siteUrl);
  const upgrades: [string, boolean][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  for (const slug of stylesheets) {
    const theme = state.themes.get(slug);
    const oldVersion = theme?.version ?? '';
    const wanted = theme?.update ?? null;
    if (theme !== undefined && wanted !== null && call.defects.failingPackages.has(slug)) {
      upgrades.push([slug, false]);
      codes.push([slug, DOWNLOAD_FAILED.code]);
      const failure = { success: 0, error: DOWNLOAD_FAILED.text, version: oldVersion };
      updated.push([slug, { name: '', old_version: '', slug, ...failure }]);
      continue;
    }
    if (theme !== undefined && wanted !== null && !call.defects.stubborn.has(slug)) {
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
  const noise = upgradeNoise('Theme', stylesheets, call.siteUrl);
  if (has(call.fields, 'send_exit')) return { kind: 'html', body: `${noise}0` };
  state.cacheLog = CACHE_LOG;
  return answer(
    {
      upgrades: phpMap(upgrades),
      other_data: {
        updated_data: phpMap(updated),
        ...(codes.length === 0 ? {} : { upgrade_error_codes: phpMap(codes) }),
      },
      theme_updates: before,
      sync: syncBlock(call),
      ...cacheFields(state),
    },
    noise,
  );
}

/** Core: the outcomes of `upgrade` in the order WordPress meets them. */
export function upgradeCore(call: Call): Reply {
  const { state } = call;
  const { core } = state;
  if (core.locked) return answer({ error: 'Another update is currently in progress.' });
  state.cacheLog = CACHE_LOG;
  if (!core.offersReachable) return answer({ upgrade: 'NORESPONSE', ...cacheFields(state) });
  if (core.update === null) return answer({ upgrade: 'SUCCESS', ...cacheFields(state) });
  if (call.defects.failingPackages.has('core')) {
    const codes = { upgrade_error_codes: DOWNLOAD_FAILED.code };
    return answer({ upgrade: 'WPERROR', other_data: codes, ...cacheFields(state) });
  }
  const oldVersion = core.version;
  const version = core.update;
  if (!call.defects.stubborn.has('core')) {
    core.version = version;
    core.update = null;
    const values = { 'old.version': oldVersion, 'current.version': version };
    recordForReport(call, 'wordpress', 'updated', values, reportsActive(state));
  }
  return answer({ upgrade: 'SUCCESS', old_version: oldVersion, version, ...cacheFields(state) });
}

/** All languages of a slug go together. */
export function upgradeTranslation(call: Call): Reply {
  const { state } = call;
  const wanted = commaList(text(call.fields, 'list')).map(decodedOnce);
  const upgrades: [string, boolean][] = [];
  const codes: [string, string][] = [];
  const updated: [string, unknown][] = [];
  for (const slug of wanted) {
    const item = state.translations.find((translation) => translation.slug === slug);
    if (item === undefined) continue;
    const failing = call.defects.failingPackages.has(slug);
    if (failing) codes.push([slug, DOWNLOAD_FAILED.code]);
    else if (!call.defects.stubborn.has(slug)) {
      state.translations = state.translations.filter((translation) => translation.slug !== slug);
    }
    upgrades.push([slug, !failing]);
    const { name, type, version } = item;
    updated.push([slug, { name, slug, type, version, success: failing ? 0 : 1 }]);
  }
  return answer({
    upgrades: phpMap(upgrades),
    other_data: {
      updated_data: phpMap(updated),
      ...(codes.length === 0 ? {} : { upgrade_error_codes: phpMap(codes) }),
    },
    sync: syncBlock(call),
  });
}
