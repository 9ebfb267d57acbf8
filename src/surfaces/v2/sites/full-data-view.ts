import type { components } from '../../../../generated/v2.ts';
import type { SiteInventory } from '../../../domains/inventory/index.ts';
import type { SiteIgnoreRules, PendingUpdate } from '../../../domains/updates/index.ts';
import { pluginView, themeView } from '../inventory/view.ts';

type Schemas = components['schemas'];

export interface FullData {
  inventory: SiteInventory;
  updates: readonly PendingUpdate[];
  ignored: SiteIgnoreRules;
}

export const fullDataView = ({ inventory, updates, ignored }: FullData): Partial<Schemas['Site']> => {
  const of = (kind: PendingUpdate['type']): Schemas['SiteUpgrade'][] =>
    updates.filter(({ type }) => type === kind).map(upgradeView);
  return {
    active_theme: inventory.activeTheme,
    plugins: inventory.plugins.map(pluginView),
    themes: inventory.themes.map(themeView),
    core_upgrades: of('core'),
    plugin_upgrades: of('plugin'),
    theme_upgrades: of('theme'),
    translation_upgrades: of('translation'),
    ignored_plugins: ignored.plugin,
    ignored_themes: ignored.theme,
    ignore_core_updates: toZeroOrOne(ignored.whole.has('core')),
    ignore_plugin_updates: toZeroOrOne(ignored.whole.has('plugin')),
    ignore_theme_updates: toZeroOrOne(ignored.whole.has('theme')),
  };
};

const toZeroOrOne = (set: boolean): 0 | 1 => (set ? 1 : 0);

const upgradeView = ({ slug, name, currentVersion, newVersion }: PendingUpdate): Schemas['SiteUpgrade'] => ({
  slug,
  name,
  current_version: currentVersion,
  new_version: newVersion,
});
