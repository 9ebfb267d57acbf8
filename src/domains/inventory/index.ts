export { parseAbandonedSearchResult } from './abandoned-search-on-sites.ts';
export { abandonedSection } from './abandoned-section.ts';
export type { ItemKind } from './inventory.ts';
export {
  InventoryReadModel,
  type AbandonedItemOnSite,
  type AbandonedFilter,
  type AbandonedItem,
  type ItemFilter,
  type ListedPlugin,
  type SiteInventory,
  type ListedItem,
  type SiteThemes,
} from './inventory-read-model.ts';
export {
  ItemActionService,
  parseActionVerification,
  type ItemActionOutcome,
  type NamedItem,
} from './item-action-service.ts';
export { pluginsSection } from './plugins-section.ts';
export { themesSection } from './themes-section.ts';
export type { InventoryServices } from './part.ts';
