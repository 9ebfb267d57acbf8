import type { ChildPlugin, ChildTheme, ChildUpdate, PartialList, UpdateType } from '../child-site.ts';
import { MAX_ITEM_NAME_LENGTH, readItemName, MAX_VERSION_LENGTH } from './inventory.ts';
import {
  asObject,
  readEntries,
  readField,
  readItems,
  readPlainText,
  readSlug,
  type JsonRecord,
} from './json-values.ts';

const MAX_UPDATES = 2_000;
export const UPDATE_TYPES: readonly UpdateType[] = ['core', 'plugin', 'theme', 'translation'];

interface InstalledItems {
  plugins: ChildPlugin[];
  themes: ChildTheme[];
}

/**
 * Decodes the updates of a stats object (protocol 4.1) to one list without duplicates. `kinds` has the types that the
 * child sent. Stored updates of other types must be kept. Returns undefined if the child sent no type.
 */
export function decodeUpdates(
  stats: JsonRecord,
  wpVersion: string | null,
  installed: InstalledItems,
): PartialList<UpdateType, ChildUpdate> | undefined {
  const core = readField(stats, 'wp_updates');
  const plugins = readEntries(readField(stats, 'plugin_updates'), MAX_UPDATES);
  const themes = readEntries(readField(stats, 'theme_updates'), MAX_UPDATES);
  const translations = readItems(readField(stats, 'translation_updates'), MAX_UPDATES * 4);
  const sent: Record<UpdateType, unknown> = { core, plugin: plugins, theme: themes, translation: translations };
  const kinds = UPDATE_TYPES.filter((type) => sent[type] !== undefined);
  if (kinds.length === 0) return undefined;
  const byKey = new Map<string, ChildUpdate>();
  const add = (update: ChildUpdate | null): void => {
    if (!update || update.newVersion === '' || update.newVersion === update.currentVersion) return;
    if (!kinds.includes(update.type)) return;
    const key = `${update.type} ${update.slug}`;
    if (!byKey.has(key)) byKey.set(key, update);
  };
  add(readCoreUpdate(core, wpVersion));
  for (const [key, raw] of plugins ?? []) add(readItemUpdate('plugin', readSlug(key), asObject(raw)));
  for (const [key, raw] of themes ?? []) add(readItemUpdate('theme', readSlug(key), asObject(raw)));
  for (const [key, raw] of readEntries(readField(stats, 'premium_updates'), MAX_UPDATES) ?? []) {
    add(readPremiumUpdate(key, asObject(raw), installed));
  }
  for (const raw of translations ?? []) add(readTranslationUpdate(asObject(raw)));
  return { kinds, items: [...byKey.values()] };
}

function readCoreUpdate(value: unknown, wpVersion: string | null): ChildUpdate | null {
  const newVersion = readPlainText(value, MAX_VERSION_LENGTH);
  if (newVersion === '') return null;
  return { type: 'core', slug: 'wordpress', name: 'WordPress', currentVersion: wpVersion ?? '', newVersion };
}

function newVersionOf(entry: JsonRecord | null): string {
  const update = asObject(readField(entry, 'update'));
  // WordPress has the new version in `update`. Some premium updaters have it directly in the entry.
  return readPlainText(readField(update, 'new_version') ?? readField(entry, 'new_version'), MAX_VERSION_LENGTH);
}

function readItemUpdate(type: UpdateType, slug: string | null, entry: JsonRecord | null): ChildUpdate | null {
  if (slug === null || !entry) return null;
  return {
    type,
    slug,
    name: readItemName(entry, slug, 'Name'),
    currentVersion: readPlainText(readField(entry, 'Version'), MAX_VERSION_LENGTH),
    newVersion: newVersionOf(entry),
  };
}

/**
 * Decodes the update of a premium plugin or theme. Premium updaters put arbitrary keys and slugs into the entry, so the
 * installed item is found by its slug, else by its folder, else by its display name.
 */
function readPremiumUpdate(
  key: string,
  entry: JsonRecord | null,
  { plugins, themes }: InstalledItems,
): ChildUpdate | null {
  if (!entry) return null;
  const update = asObject(readField(entry, 'update'));
  const type = readField(entry, 'type') === 'theme' ? 'theme' : 'plugin';
  const items: { slug: string; name: string }[] = type === 'theme' ? themes : plugins;
  const names = [
    key,
    readField(update, 'plugin'),
    readField(update, 'theme'),
    readField(update, 'slug'),
    readField(entry, 'slug'),
  ];
  const slugs = names.map(readSlug).filter((slug) => slug !== null);
  const name = readPlainText(readField(entry, 'Name'), MAX_ITEM_NAME_LENGTH).normalize('NFC');
  const match =
    items.find((item) => slugs.includes(item.slug)) ??
    items.find((item) => slugs.some((slug) => item.slug.startsWith(`${slug}/`))) ??
    items.find((item) => name !== '' && item.name === name);
  return readItemUpdate(type, match?.slug ?? slugs[0] ?? null, entry);
}

/** All languages of a slug are updated together, so only the first one is listed. */
function readTranslationUpdate(entry: JsonRecord | null): ChildUpdate | null {
  const slug = readSlug(readField(entry, 'slug'));
  if (slug === null) return null;
  const newVersion = readPlainText(readField(entry, 'version'), MAX_VERSION_LENGTH);
  return { type: 'translation', slug, name: readItemName(entry, slug), currentVersion: '', newVersion };
}
