import type { ChildStats, ChildTheme } from '../../connector/child-site.ts';
import type { ItemErrorCode } from '../../shared/error-codes.ts';
import type { ItemError } from '../../shared/item-error.ts';

export type ItemKind = 'plugin' | 'theme';
export type ItemAction = 'activate' | 'deactivate' | 'delete';

export type ItemProtection = 'child_plugin' | 'must_use' | 'active_theme' | 'parent_theme';

export interface InstalledItem {
  slug: string;
  name: string;
  version: string;
  active: boolean;
  protection: ItemProtection | null;
}

export type Inventory = ReadonlyMap<string, InstalledItem>;

type FailureCode = Extract<
  ItemErrorCode,
  | 'svc_plugin_not_found'
  | 'svc_theme_not_found'
  | 'svc_protected_item'
  | 'svc_activation_failed'
  | 'svc_deactivation_failed'
  | 'svc_deletion_failed'
  | 'svc_outcome_unknown'
>;

export interface ItemFailure extends ItemError {
  code: FailureCode;
}

type ItemFailureReason = Pick<ItemFailure, 'code' | 'message' | 'reason' | 'child_message'>;

export const inventoryOf = (items: readonly InstalledItem[]): Inventory =>
  new Map(items.map((item) => [item.slug, item]));

/**
 * True if several themes look active: the child plugin finds the active theme by its name, and other themes may have
 * the same name.
 */
export const isActiveThemeAmbiguous = (themes: readonly ChildTheme[] = []): boolean =>
  themes.filter(({ active }) => active).length > 1;

/**
 * Returns the themes with at most one of them active. If several look active, only the one with the slug `known` is
 * active. Without a `known` slug, none is.
 */
export const keepOneActiveTheme = (themes: readonly ChildTheme[], known: string | null): readonly ChildTheme[] =>
  isActiveThemeAmbiguous(themes)
    ? themes.map((theme) => ({ ...theme, active: theme.active && theme.slug === known }))
    : themes;

export const withActiveTheme = (inventory: Inventory, slug: string | undefined): Inventory =>
  slug !== undefined && inventory.has(slug)
    ? inventoryOf([...inventory.values()].map((item) => ({ ...item, active: item.slug === slug })))
    : inventory;

/** Returns the plugins or the themes in a report, or undefined if the child plugin omitted them. */
export function inventoryFromStats(kind: ItemKind, stats: ChildStats): Inventory | undefined {
  const items =
    kind === 'plugin'
      ? stats.plugins?.map((plugin) => ({ ...plugin, protection: protectionOfPlugin(plugin) }))
      : stats.themes &&
        keepOneActiveTheme(stats.themes, null).map((theme) => ({ ...theme, protection: protectionOfTheme(theme) }));
  return items && inventoryOf(items);
}

export const protectionOfPlugin = (plugin: { mustUse: boolean; isChildPlugin: boolean }): ItemProtection | null =>
  plugin.isChildPlugin ? 'child_plugin' : plugin.mustUse ? 'must_use' : null;

export const protectionOfTheme = (theme: { active: boolean; parentOfActive: boolean }): ItemProtection | null =>
  theme.active ? 'active_theme' : theme.parentOfActive ? 'parent_theme' : null;

export function isActionDone(action: ItemAction, item: InstalledItem | undefined): boolean {
  switch (action) {
    case 'activate':
      return item?.active === true;
    case 'deactivate':
      return item?.active === false;
    case 'delete':
      return item === undefined;
  }
}

/** True if a deletion has only deactivated the plugin. The child plugin deactivates it before it deletes the files. */
export const isOnlyDeactivated = (
  kind: ItemKind,
  action: ItemAction,
  old: InstalledItem | undefined,
  now: InstalledItem | undefined,
): boolean => kind === 'plugin' && action === 'delete' && old?.active === true && now?.active === false;

export const protectionAgainst = (action: ItemAction, item: InstalledItem | undefined): ItemProtection | null =>
  action === 'activate' ? null : (item?.protection ?? null);

export const itemNotFoundReason = (kind: ItemKind): ItemFailureReason =>
  kind === 'plugin'
    ? { code: 'svc_plugin_not_found', message: 'The site has no such plugin.' }
    : { code: 'svc_theme_not_found', message: 'The site has no such theme.' };

const PROTECTED: Record<ItemProtection, string> = {
  child_plugin: 'The child plugin must stay active, because it connects the site with this service.',
  must_use: 'A must-use plugin is always active and cannot be deleted by this service.',
  active_theme: 'The active theme cannot be deleted.',
  parent_theme: 'The parent of the active theme cannot be deleted.',
};

export const protectedItemReason = (protection: ItemProtection): ItemFailureReason => ({
  code: 'svc_protected_item',
  message: PROTECTED[protection],
});

export function actionFailedReason(kind: ItemKind, action: ItemAction): ItemFailureReason {
  switch (action) {
    case 'activate':
      return { code: 'svc_activation_failed', message: `The ${kind} is still inactive.` };
    case 'deactivate':
      return { code: 'svc_deactivation_failed', message: `The ${kind} is still active.` };
    case 'delete':
      return { code: 'svc_deletion_failed', message: `The ${kind} still exists.` };
  }
}
