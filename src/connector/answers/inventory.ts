import type { AbandonedItem, ChildPlugin, ChildStats, ChildTheme } from '../child-site.ts';
import { asObject, entriesOf, field, flag, itemsOf, plainText, seconds, slugOf, type Json } from './values.ts';

export const NAME_MAX = 200;
export const VERSION_MAX = 64;
const MAX_PLUGINS = 2_000;
const MAX_THEMES = 1_000;

function bySlug<T>(items: unknown[] | undefined, make: (item: Json, slug: string) => T): T[] | undefined {
  if (!items) return undefined;
  const firstOf = new Map<string, T>();
  for (const raw of items) {
    const item = asObject(raw);
    const slug = slugOf(field(item, 'slug'));
    if (item && slug !== null && !firstOf.has(slug)) firstOf.set(slug, make(item, slug));
  }
  return [...firstOf.values()];
}

export const nameOf = (item: Json | null, slug: string, key = 'name'): string =>
  plainText(field(item, key), NAME_MAX) || slug.slice(0, NAME_MAX);

export function decodePlugins(value: unknown): ChildPlugin[] | undefined {
  return bySlug(itemsOf(value, MAX_PLUGINS), (item, slug) => ({
    slug,
    name: nameOf(item, slug),
    version: plainText(field(item, 'version'), VERSION_MAX),
    active: flag(field(item, 'active')),
    mustUse: flag(field(item, 'mu')),
    isChildPlugin: field(item, 'mainwp') === 'T',
  }));
}

/** Decodes the list of themes (protocol 4.2). Two themes of one name can both be active: the child compares names. */
export function decodeThemes(value: unknown): ChildTheme[] | undefined {
  return bySlug(itemsOf(value, MAX_THEMES), (item, slug) => ({
    slug,
    name: nameOf(item, slug),
    version: plainText(field(item, 'version'), VERSION_MAX),
    active: flag(field(item, 'active')),
    parentOfActive: flag(field(item, 'parent_active')),
  }));
}

export function decodeAbandoned(plugins: unknown, themes: unknown): ChildStats['abandoned'] {
  const firstOf = [
    ['plugin', entriesOf(plugins, MAX_PLUGINS)],
    ['theme', entriesOf(themes, MAX_THEMES)],
  ] as const;
  const kinds = firstOf.flatMap(([kind, entries]) => (entries === undefined ? [] : [kind]));
  if (kinds.length === 0) return undefined;
  const items: AbandonedItem[] = [];
  for (const [kind, entries] of firstOf) {
    for (const [key, raw] of entries ?? []) {
      const item = asObject(raw);
      const slug = slugOf(key);
      const lastUpdated = seconds(field(item, 'last_updated'));
      if (!item || slug === null || lastUpdated === null) continue;
      items.push({
        kind,
        slug,
        name: nameOf(item, slug, 'Name'),
        version: plainText(field(item, 'Version'), VERSION_MAX),
        lastUpdatedAt: Math.trunc(lastUpdated) * 1000,
      });
    }
  }
  return { kinds, items };
}
