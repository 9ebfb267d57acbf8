import type { components } from '../../../../generated/v2.ts';
import type {
  AbandonedItemOnSite,
  ItemFilter,
  ItemActionOutcome,
  ListedItem,
  ListedPlugin,
  NamedItem,
} from '../../../domains/inventory/index.ts';
import { toDate } from '../../../shared/clock.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { siteReferenceView } from '../sites/view.ts';

type Schemas = components['schemas'];

export const itemFilterOf = (query: {
  status: 'any' | 'active' | 'inactive';
  has_update: boolean;
  search?: string;
}): ItemFilter => ({
  status: query.status === 'any' ? 'all' : query.status,
  hasUpdate: query.has_update,
  ...dropEmptyFilters({ search: query.search }),
});

export const themeView = ({ slug, name, version, active, updateVersion }: ListedItem): Schemas['SiteTheme'] => ({
  slug,
  name,
  version,
  active,
  update_version: updateVersion,
});

export const pluginView = (plugin: ListedPlugin): Schemas['SitePlugin'] => ({
  ...themeView(plugin),
  must_use: plugin.mustUse,
});

export const abandonedView = ({
  slug,
  name,
  version,
  lastUpdatedAt,
}: AbandonedItemOnSite): Schemas['AbandonedItem'] => ({
  slug,
  name,
  version,
  last_updated: toDate(lastUpdatedAt),
});

export const itemView = ({ slug, name, version }: NamedItem): Schemas['SiteItem'] => ({ slug, name, version });

export const itemActionMessage = ({ items, errors }: ItemActionOutcome, plural: string, participle: string): string =>
  `${items.length} of ${items.length + errors.length} ${plural} were ${participle}.`;

export const itemActionView = (outcome: ItemActionOutcome, participle: string): Schemas['SiteItemsDone'] => ({
  success: 1,
  message: itemActionMessage(outcome, 'plugins', participle),
  data: outcome.items.map(itemView),
  errors: outcome.errors,
  site: siteReferenceView(outcome.site),
});
