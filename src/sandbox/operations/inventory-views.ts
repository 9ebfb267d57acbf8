import { phpMap } from '../protocol/frame.ts';
import { CHILD_PLUGIN_FILE } from '../state/catalogue.ts';
import type { Plugin, SiteState, Theme } from '../state/site-state.ts';

const DAY = 86_400;

export function pluginEntry(plugin: Plugin): Record<string, unknown> {
  const { definition } = plugin;
  return {
    mainwp: definition.file === CHILD_PLUGIN_FILE ? 'T' : 'F',
    name: definition.name,
    slug: definition.file,
    description: definition.description,
    version: plugin.version,
    active: plugin.mu || plugin.active ? 1 : 0,
    ...(plugin.mu ? { mu: 1 } : {}),
  };
}

/**
 * Returns the list entry of a theme. Compares theme names to find the active one and its parent, as the child does
 * (protocol 4.2). If two themes have the same name, both are active, or both are the parent.
 */
export function themeEntry(state: SiteState, theme: Theme): Record<string, unknown> {
  const { definition } = theme;
  const active = state.themes.get(state.activeTheme)?.definition;
  const isActive = active?.name === definition.name;
  const parent = active?.parent === undefined ? undefined : state.themes.get(active.parent)?.definition;
  const parentActive = parent?.name === definition.name;
  return {
    name: definition.name,
    title: definition.name,
    description: definition.description,
    version: theme.version,
    active: isActive ? 1 : 0,
    slug: definition.stylesheet,
    parent_active: parentActive ? 1 : 0,
    ...(parentActive ? { child_theme: active?.name } : {}),
    ...(isActive && parent !== undefined ? { child_active: 1 } : {}),
  };
}

export function pluginUpdates(state: SiteState, siteUrl: string): Record<string, unknown> | [] {
  return offeredPlugins(state, (plugin) => ({
    ...updateEntry(plugin, siteUrl),
    active: plugin.active ? 1 : 0,
    wp_compatible: true,
    php_compatible: phpSuffices(state, plugin),
  }));
}

/**
 * Returns the plugin updates for the response to an update. They lack the fields that the child adds for `stats`
 * (recorded from a real site).
 */
export function barePluginUpdates(state: SiteState, siteUrl: string): Record<string, unknown> | [] {
  return offeredPlugins(state, (plugin) => updateEntry(plugin, siteUrl));
}

function offeredPlugins(state: SiteState, entry: (plugin: Plugin) => unknown): Record<string, unknown> | [] {
  const offered = [...state.plugins.values()].filter((plugin) => plugin.update !== null);
  return phpMap(offered.map((plugin): [string, unknown] => [plugin.definition.file, entry(plugin)]));
}

function updateEntry(plugin: Plugin, siteUrl: string): Record<string, unknown> {
  const { definition } = plugin;
  const folder = folderOf(definition.file);
  return {
    Name: definition.name,
    PluginURI: `https://plugins.example/${folder}/`,
    Version: plugin.version,
    Description: definition.description,
    Author: definition.author,
    AuthorURI: '',
    TextDomain: folder,
    DomainPath: '',
    Network: false,
    RequiresWP: '',
    RequiresPHP: definition.requiresPhp,
    UpdateURI: '',
    RequiresPlugins: '',
    Title: definition.name,
    AuthorName: definition.author,
    update: {
      id: `w.org/plugins/${folder}`,
      slug: folder,
      plugin: definition.file,
      new_version: plugin.update,
      url: `https://plugins.example/${folder}/`,
      package: `${siteUrl}/packages/${folder}.${plugin.update ?? ''}.zip`,
      tested: '7.0',
      requires: '6.0',
      requires_php: definition.requiresPhp,
      icons: [],
      banners: [],
      banners_rtl: [],
      compatibility: {},
    },
  };
}

export function themeUpdates(state: SiteState, siteUrl: string): Record<string, unknown> | [] {
  const offered = [...state.themes.values()].filter((theme) => theme.update !== null);
  return phpMap(
    offered.map((theme): [string, unknown] => {
      const { stylesheet, name } = theme.definition;
      const update = {
        theme: stylesheet,
        new_version: theme.update,
        url: `https://themes.example/${stylesheet}/`,
        package: `${siteUrl}/packages/${stylesheet}.${theme.update ?? ''}.zip`,
        requires: '6.0',
        requires_php: '7.4',
      };
      const active = stylesheet === state.activeTheme ? 1 : 0;
      return [stylesheet, { update, Name: name, Version: theme.version, active }];
    }),
  );
}

/**
 * Returns the abandoned plugins. The child checks only plugins that are in the directory of WordPress.org, with the
 * installed or a newer version (protocol 4.1).
 */
export function abandonedPlugins(state: SiteState, now: number): Record<string, unknown> | [] {
  if (!state.abandoned.pluginsChecked) return [];
  const old = [...state.plugins.values()].filter(
    (plugin) => !plugin.mu && plugin.definition.ageDays >= state.abandoned.days,
  );
  return phpMap(
    old.map(({ definition, version }): [string, unknown] => [
      definition.file,
      {
        Name: definition.name,
        PluginURI: `https://plugins.example/${folderOf(definition.file)}/`,
        Version: version,
        last_updated: lastUpdated(definition.ageDays, now),
      },
    ]),
  );
}

export function abandonedThemes(state: SiteState, now: number): Record<string, unknown> | [] {
  if (!state.abandoned.themesChecked) return [];
  const old = [...state.themes.values()].filter(
    ({ definition }) => definition.parent === undefined && definition.ageDays >= state.abandoned.days,
  );
  return phpMap(
    old.map(({ definition, version }): [string, unknown] => [
      definition.stylesheet,
      { Name: definition.name, Version: version, last_updated: lastUpdated(definition.ageDays, now) },
    ]),
  );
}

/**
 * Returns the time of the last release, rounded to midnight, so that all responses of one day contain the same time.
 */
function lastUpdated(ageDays: number, now: number): number {
  return (Math.floor(now / DAY) - ageDays) * DAY;
}

export function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/', 1)[0] ?? file) : file.replace(/\.php$/, '');
}

export function phpSuffices(state: SiteState, plugin: Plugin): boolean {
  const [haveMajor = 0, haveMinor = 0] = state.phpVersion.split('.').map(Number);
  const [needMajor = 0, needMinor = 0] = plugin.definition.requiresPhp.split('.').map(Number);
  return haveMajor > needMajor || (haveMajor === needMajor && haveMinor >= needMinor);
}
