import type { AbandonedItem, ChildPlugin, ChildStats, ChildTheme } from '../child-site.ts';
import {
  asObject,
  readEntries,
  readField,
  readFlag,
  readItems,
  readPlainText,
  readUnixSeconds,
  readSlug,
  type JsonRecord,
} from './json-values.ts';

export const MAX_ITEM_NAME_LENGTH = 200;
export const MAX_VERSION_LENGTH = 64;
const MAX_PLUGINS = 2_000;
const MAX_THEMES = 1_000;

function readItemsWithUniqueSlug<T>(
  items: unknown[] | undefined,
  make: (item: JsonRecord, slug: string) => T,
): T[] | undefined {
  if (!items) return undefined;
  const firstBySlug = new Map<string, T>();
  for (const raw of items) {
    const item = asObject(raw);
    const slug = readSlug(readField(item, 'slug'));
    if (item && slug !== null && !firstBySlug.has(slug)) firstBySlug.set(slug, make(item, slug));
  }
  return [...firstBySlug.values()];
}

/** Returns the name in the Unicode form NFC, in which searches compare texts. */
export const readItemName = (item: JsonRecord | null, slug: string, key = 'name'): string =>
  readPlainText(readField(item, key), MAX_ITEM_NAME_LENGTH).normalize('NFC') || slug.slice(0, MAX_ITEM_NAME_LENGTH);

export function decodePlugins(value: unknown): ChildPlugin[] | undefined {
  return readItemsWithUniqueSlug(readItems(value, MAX_PLUGINS), (item, slug) => ({
    slug,
    name: readItemName(item, slug),
    version: readPlainText(readField(item, 'version'), MAX_VERSION_LENGTH),
    active: readFlag(readField(item, 'active')),
    mustUse: readFlag(readField(item, 'mu')),
    isChildPlugin: readField(item, 'mainwp') === 'T',
  }));
}

/**
 * Decodes themes (protocol 4.2). The child finds the active theme by its name, so two themes with the same name can
 * both be active.
 */
export function decodeThemes(value: unknown): ChildTheme[] | undefined {
  return readItemsWithUniqueSlug(readItems(value, MAX_THEMES), (item, slug) => ({
    slug,
    name: readItemName(item, slug),
    version: readPlainText(readField(item, 'version'), MAX_VERSION_LENGTH),
    active: readFlag(readField(item, 'active')),
    parentOfActive: readFlag(readField(item, 'parent_active')),
  }));
}

export function decodeAbandonedItems(plugins: unknown, themes: unknown): ChildStats['abandoned'] {
  const reports = [
    ['plugin', readEntries(plugins, MAX_PLUGINS)],
    ['theme', readEntries(themes, MAX_THEMES)],
  ] as const;
  const kinds = reports.flatMap(([kind, entries]) => (entries === undefined ? [] : [kind]));
  if (kinds.length === 0) return undefined;
  const items: AbandonedItem[] = [];
  for (const [kind, entries] of reports) {
    for (const [key, raw] of entries ?? []) {
      const item = asObject(raw);
      const slug = readSlug(key);
      const lastUpdated = readUnixSeconds(readField(item, 'last_updated'));
      if (!item || slug === null || lastUpdated === null) continue;
      items.push({
        kind,
        slug,
        name: readItemName(item, slug, 'Name'),
        version: readPlainText(readField(item, 'Version'), MAX_VERSION_LENGTH),
        lastUpdatedAt: Math.trunc(lastUpdated) * 1000,
      });
    }
  }
  return { kinds, items };
}
