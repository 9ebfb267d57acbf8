import { parseJsonOrUndefined, textField, isTruthy, stripSlashes } from '../protocol/form.ts';
import { frameReply, FATAL, type Reply } from '../protocol/reply.ts';
import { pluginForPackage, themeForPackage } from '../state/catalogue.ts';
import type { Call } from './call.ts';
import { folderOf } from './inventory-views.ts';
import { reportPlugin } from './plugins.ts';
import { reportTheme } from './themes.ts';

/**
 * Package of `installplugintheme` (protocol 4.2). Nothing is downloaded. The content is derived from the file name,
 * which is `<folder>-<version>.zip` or `<folder>.<version>.zip`.
 */
interface Package {
  url: string;
  base: string;
  folder: string;
  version: string;
}

export function installPluginTheme(call: Call): Reply {
  const type = textField(call.fields, 'type');
  const packages = readPackages(textField(call.fields, 'url'));
  if ((type !== 'plugin' && type !== 'theme') || packages.length === 0) {
    return frameReply({
      error: 'Plugin or theme not specified, or missing required data. Please reload the page and try again.',
    });
  }
  const results: Record<string, boolean> = {};
  const items: Record<string, string>[] = [];
  for (const item of packages) {
    const failure = installFailureOf(call, type, item);
    if (failure !== undefined) {
      // For https URLs, the child retries without certificate verification and reports the error. For http, PHP dies.
      return item.url.startsWith('https:') ? frameReply(failure) : FATAL;
    }
    if (call.defects.foreignPackages.has(item.folder)) {
      results[item.base] = true;
      continue;
    }
    items.push(type === 'plugin' ? addPlugin(call, item) : addTheme(call, item));
    results[item.base] = true;
  }
  return frameReply({
    installation: 'SUCCESS',
    destination_name: packages[packages.length - 1]?.folder ?? '',
    install_results: results,
    other_data: { install_items: items },
  });
}

/**
 * Reads the list of packages. The child removes backslashes twice, so JSON that contains backslashes becomes invalid
 * (protocol 1.4).
 */
function readPackages(field: string): Package[] {
  const value = parseJsonOrUndefined(stripSlashes(field));
  const urls = Array.isArray(value) ? (value as unknown[]) : [value];
  return urls.filter((url): url is string => typeof url === 'string' && url !== '').map(readPackage);
}

function readPackage(url: string): Package {
  const base = url.split(/[?#]/, 1)[0]?.split('/').pop() ?? '';
  const match = /^(.+?)(?:[-.]v?(\d[\w.-]*))?\.zip$/.exec(base);
  return { url, base, folder: match?.[1] ?? base, version: match?.[2] ?? '1.0.0' };
}

function installFailureOf(call: Call, type: string, item: Package): { error: string; error_code: string } | undefined {
  const failing = call.defects.failingPackages;
  if (
    failing.has(item.folder) ||
    failing.has(item.base) ||
    !/^https?:\/\/./.test(item.url) ||
    !item.base.endsWith('.zip')
  ) {
    return { error: 'Download failed.', error_code: 'download_failed' };
  }
  const installed =
    type === 'theme'
      ? call.state.themes.has(item.folder)
      : [...call.state.plugins.keys()].some((file) => folderOf(file) === item.folder);
  if (installed && !isTruthy(call.fields['overwrite'])) {
    return { error: 'Destination folder already exists.', error_code: 'folder_exists' };
  }
  return undefined;
}

function addPlugin(call: Call, item: Package): Record<string, string> {
  const definition = pluginForPackage(item.folder, item.version);
  const { file, name, versions } = definition;
  const before = call.state.plugins.get(file);
  const newest = versions[versions.length - 1] ?? item.version;
  const active = before?.active === true || textField(call.fields, 'activatePlugin') === 'yes';
  if (!call.defects.falseSuccesses.has(file)) {
    const known = versions.includes(item.version) && item.version !== newest;
    const plugin = { definition, version: item.version, active, update: known ? newest : null, mu: false };
    call.state.plugins.set(file, plugin);
    reportPlugin(call, plugin, 'installed');
  }
  return { name, version: item.version, slug: file };
}

function addTheme(call: Call, item: Package): Record<string, string> {
  const definition = themeForPackage(item.folder, item.version);
  if (!call.defects.falseSuccesses.has(definition.stylesheet)) {
    const theme = { definition, version: item.version, update: null };
    call.state.themes.set(definition.stylesheet, theme);
    reportTheme(call, theme, 'installed');
  }
  return { name: definition.name, version: item.version, slug: definition.stylesheet };
}
