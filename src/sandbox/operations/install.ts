import type { Download, DownloadFailure, ZipHeads } from '../downloads.ts';
import { packageUrls } from '../downloads.ts';
import { textField, isTruthy } from '../protocol/form.ts';
import { frameReply, FATAL, SILENT_FATAL, type Reply } from '../protocol/reply.ts';
import { latestVersion, pluginForPackage, themeForPackage } from '../state/catalogue.ts';
import type { PluginDefinition, ThemeDefinition } from '../state/site-state.ts';
import type { Call } from './call.ts';
import { folderOf } from './inventory-views.ts';
import { reportPlugin } from './plugins.ts';
import { reportTheme } from './themes.ts';

/** `file` is the main file in the folder. */
interface PackagedItem {
  file: string;
  name: string;
  version: string;
}

interface Package {
  url: string;
  base: string;
  /**
   * Folder into which WordPress unpacks the package. If the package does not consist of a single folder, the name is
   * that of the zip with random characters at the end.
   */
  folder: string;
  items: PackagedItem[];
}

interface InstalledEntry {
  name: string;
  version: string;
  slug: string;
}

/**
 * Simulates `installplugintheme` (protocol 4.2). With `overwrite`, the folder of the package replaces the installed
 * one, whatever the package contains, and the response is `SUCCESS`.
 */
export function installPluginTheme(call: Call): Reply {
  const type = textField(call.fields, 'type');
  const urls = packageUrls(call.fields);
  if ((type !== 'plugin' && type !== 'theme') || urls.length === 0) {
    return frameReply({
      error: 'Plugin or theme not specified, or missing required data. Please reload the page and try again.',
    });
  }
  const results: [string, boolean][] = [];
  const items: InstalledEntry[] = [];
  let destination = '';
  for (const url of urls) {
    const content = readPackage(call, type, url);
    const refusal = 'error' in content ? content : folderRefusal(call, type, content);
    if (refusal) return refusedInstall(call, url, refusal);
    if ('error' in content) return FATAL;
    items.push(...(type === 'plugin' ? addPlugins(call, content) : addThemes(call, content)));
    results.push([content.base, true]);
    destination = content.folder;
    const dead = content.items.some(({ file }) => call.defects.fatalOnActivation.has(`${content.folder}/${file}`));
    if (dead && textField(call.fields, 'activatePlugin') === 'yes') return SILENT_FATAL;
  }
  return frameReply({
    installation: 'SUCCESS',
    destination_name: destination,
    install_results: Object.fromEntries(results),
    other_data: { install_items: items },
  });
}

/**
 * Returns the response to a failed download. For an https URL, the child reports the error. For an http URL, PHP dies.
 * A child before 5.0 has sent the headers by then, so the status is 200.
 */
function refusedInstall({ state }: Call, url: string, refusal: DownloadFailure): Reply {
  if (url.startsWith('https:')) return frameReply(refusal);
  if (Number.parseInt(state.childVersion, 10) >= 5) return FATAL;
  const log = `<div class="wrap"><h1></h1><p>downloading_package</p>\n<p> ${refusal.error}</p>\n</div>`;
  return { kind: 'html', body: `${log}<p>There has been a critical error on this website.</p>` };
}

function readPackage(call: Call, type: 'plugin' | 'theme', url: string): Package | DownloadFailure {
  const base = url.split('/').pop() ?? '';
  const named = packageOfName(url);
  const { failingPackages, foreignPackages, namedPackages } = call.defects;
  if (failingPackages.has(named.base) || failingPackages.has(named.folder))
    return { error: 'Download failed.', error_code: 'download_failed' };
  if (namedPackages) return foreignPackages.has(named.folder) ? { ...named, items: [] } : named;
  const download: Download | undefined = call.downloads.get(url);
  if (!download || 'error' in download) return download ?? { error: 'Download failed.', error_code: 'download_failed' };
  return unpack(download.heads, type, url, base);
}

/** Derives a package from its file name: `<folder>-<version>.zip` or `<folder>.<version>.zip`. */
function packageOfName(url: string): Package {
  const base = url.split(/[?#]/, 1)[0]?.split('/').pop() ?? '';
  const match = /^(.+?)(?:[-.]v?(\d[\w.-]*))?\.zip$/.exec(base);
  const folder = match?.[1] ?? base;
  return { url, base, folder, items: [{ file: `${folder}.php`, name: '', version: match?.[2] ?? '1.0.0' }] };
}

function unpack(heads: ZipHeads, type: 'plugin' | 'theme', url: string, base: string): Package {
  const tops = new Set([...heads.keys()].map((path) => path.split('/', 1)[0] ?? ''));
  const [top = ''] = tops;
  const hasFolder = tops.size === 1 && !heads.has(top);
  const root = hasFolder ? `${top}/` : '';
  const pattern = type === 'plugin' ? /^[^/]+\.php$/ : /^style\.css$/;
  const items = [...heads].flatMap(([path, head]) => {
    const file = path.startsWith(root) ? path.slice(root.length) : '';
    const name = pattern.test(file) ? headerOf(head, type === 'plugin' ? 'Plugin Name' : 'Theme Name') : '';
    return name === '' ? [] : [{ file, name, version: headerOf(head, 'Version') }];
  });
  const folder = hasFolder ? top : `${base.replace(/\.zip$/, '')}-${Math.random().toString(36).slice(2, 8)}`;
  return { url, base, folder, items };
}

const headerOf = (head: string, field: string): string =>
  new RegExp(`^[ \\t/*#@]*${field}:(.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';

function folderRefusal(call: Call, type: string, { folder }: Package): DownloadFailure | undefined {
  const installed =
    type === 'theme'
      ? call.state.themes.has(folder)
      : [...call.state.plugins.keys()].some((file) => folderOf(file) === folder);
  if (!installed || isTruthy(call.fields['overwrite'])) return undefined;
  return { error: 'Destination folder already exists.', error_code: 'folder_exists' };
}

/**
 * Replaces the folder of a plugin. The list of active plugins does not change: a plugin in it is not reported while its
 * files are missing, and is active again as soon as they are back.
 */
function addPlugins(call: Call, { folder, items }: Package): InstalledEntry[] {
  const { plugins, activeWithoutFiles } = call.state;
  const entries = items.map((item) => ({ ...item, definition: pluginDefinitionOf(call, folder, item) }));
  if (entries.some(({ definition: { file } }) => call.defects.falseSuccesses.has(file)))
    return entries.map(({ definition: { file, name }, version }) => ({ name, version, slug: file }));
  for (const [file, plugin] of plugins)
    if (folderOf(file) === folder) {
      plugins.delete(file);
      if (plugin.active) activeWithoutFiles.add(file);
    }
  if (entries.some(({ definition: { file } }) => call.defects.losesFiles.delete(file))) return [];
  return entries.map(({ definition, version }) => {
    const { file, name } = definition;
    const isActivated = textField(call.fields, 'activatePlugin') === 'yes' && !call.defects.fatalOnActivation.has(file);
    const active = activeWithoutFiles.delete(file) || isActivated;
    const plugin = { definition, version, active, update: offeredAfter(definition, version), mu: false };
    plugins.set(file, plugin);
    reportPlugin(call, plugin, 'installed');
    return { name, version, slug: file };
  });
}

function pluginDefinitionOf({ state }: Call, folder: string, { file, name, version }: PackagedItem): PluginDefinition {
  const path = `${folder}/${file}`;
  const before = state.plugins.get(path)?.definition;
  if (before) return before;
  const known = pluginForPackage(folder, version);
  return known.file === path || name === '' ? known : { ...known, file: path, name, versions: [version] };
}

function addThemes(call: Call, { folder, items: [item] }: Package): InstalledEntry[] {
  const { themes } = call.state;
  if (!item || call.defects.losesFiles.delete(folder)) {
    themes.delete(folder);
    return [];
  }
  const { version } = item;
  const definition = themes.get(folder)?.definition ?? themeForPackage(folder, version);
  if (!call.defects.falseSuccesses.has(folder)) {
    const theme = { definition, version, update: offeredAfter(definition, version) };
    themes.set(folder, theme);
    reportTheme(call, theme, 'installed');
  }
  return [{ name: definition.name, version, slug: folder }];
}

function offeredAfter({ versions }: PluginDefinition | ThemeDefinition, version: string): string | null {
  const newest = latestVersion(versions);
  return isOlder(version, newest) ? newest : null;
}

function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let part = 0; part < Math.max(left?.length ?? 0, right?.length ?? 0); part += 1) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
