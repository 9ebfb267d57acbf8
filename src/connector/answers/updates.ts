import type { ChildPlugin, ChildTheme, ChildUpdate, PartialList, UpdateType } from '../child-site.ts';
import { NAME_MAX, nameOf, VERSION_MAX } from './inventory.ts';
import { asObject, entriesOf, field, itemsOf, plainText, slugOf, type Json } from './values.ts';

const MAX_UPDATES = 2_000;
export const UPDATE_TYPES: readonly UpdateType[] = ['core', 'plugin', 'theme', 'translation'];

interface Installed {
  plugins: ChildPlugin[];
  themes: ChildTheme[];
}

/**
 * Decodes the updates of a stats object (protocol 4.1) to one list without duplicates, and lists the types that the
 * child sent. Stored updates of other types must be kept. Returns undefined if the child sent no type.
 */
export function decodeUpdates(
  stats: Json,
  wpVersion: string | null,
  installed: Installed,
): PartialList<UpdateType, ChildUpdate> | undefined {
  const core = field(stats, 'wp_updates');
  const plugins = entriesOf(field(stats, 'plugin_updates'), MAX_UPDATES);
  const themes = entriesOf(field(stats, 'theme_updates'), MAX_UPDATES);
  const translations = itemsOf(field(stats, 'translation_updates'), MAX_UPDATES * 4);
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
  add(coreUpdate(core, wpVersion));
  for (const [key, raw] of plugins ?? []) add(itemUpdate('plugin', slugOf(key), asObject(raw)));
  for (const [key, raw] of themes ?? []) add(itemUpdate('theme', slugOf(key), asObject(raw)));
  for (const [key, raw] of entriesOf(field(stats, 'premium_updates'), MAX_UPDATES) ?? []) {
    add(premiumUpdate(key, asObject(raw), installed));
  }
  for (const raw of translations ?? []) add(translationUpdate(asObject(raw)));
  return { kinds, items: [...byKey.values()] };
}

function coreUpdate(value: unknown, wpVersion: string | null): ChildUpdate | null {
  const newVersion = plainText(value, VERSION_MAX);
  if (newVersion === '') return null;
  return { type: 'core', slug: 'wordpress', name: 'WordPress', currentVersion: wpVersion ?? '', newVersion };
}

function newVersionOf(entry: Json | null): string {
  const update = asObject(field(entry, 'update'));
  // Some premium updaters store the bare update object in place of the entry.
  return plainText(field(update, 'new_version') ?? field(entry, 'new_version'), VERSION_MAX);
}

function itemUpdate(type: UpdateType, slug: string | null, entry: Json | null): ChildUpdate | null {
  if (slug === null || !entry) return null;
  return {
    type,
    slug,
    name: nameOf(entry, slug, 'Name'),
    currentVersion: plainText(field(entry, 'Version'), VERSION_MAX),
    newVersion: newVersionOf(entry),
  };
}

/** Decodes a premium update. Its names are arbitrary, so it is matched with the installed plugins or themes. */
function premiumUpdate(key: string, entry: Json | null, { plugins, themes }: Installed): ChildUpdate | null {
  if (!entry) return null;
  const update = asObject(field(entry, 'update'));
  const type = field(entry, 'type') === 'theme' ? 'theme' : 'plugin';
  const items: { slug: string; name: string }[] = type === 'theme' ? themes : plugins;
  const names = [key, field(update, 'plugin'), field(update, 'theme'), field(update, 'slug'), field(entry, 'slug')];
  const slugs = names.map(slugOf).filter((slug) => slug !== null);
  const name = plainText(field(entry, 'Name'), NAME_MAX);
  const match =
    items.find((item) => slugs.includes(item.slug)) ??
    items.find((item) => slugs.some((slug) => item.slug.startsWith(`${slug}/`))) ??
    items.find((item) => name !== '' && item.name === name);
  return itemUpdate(type, match?.slug ?? slugs[0] ?? null, entry);
}

/** Decodes a translation. All languages of a slug are updated together, so only the first one is listed. */
function translationUpdate(entry: Json | null): ChildUpdate | null {
  const slug = slugOf(field(entry, 'slug'));
  if (slug === null) return null;
  const newVersion = plainText(field(entry, 'version'), VERSION_MAX);
  return { type: 'translation', slug, name: nameOf(entry, slug), currentVersion: '', newVersion };
}
