import type { SiteScope } from '../../../shared/site-scope.ts';
import type { components, operations } from '../../../../generated/abilities.ts';
import type {
  AbandonedItemOnSite,
  AbandonedFilter,
  ItemFilter,
  ListedItem,
  SiteThemes,
} from '../../../domains/inventory/index.ts';
import type { Site } from '../../../domains/sites/index.ts';
import type { AbilityOutput } from '../../../http/operation-types.ts';
import { toDate } from '../../../shared/clock.ts';
import type { Page } from '../../../shared/paging.ts';

type Schemas = components['schemas'];

export const itemFilterOf = (input: { status: ItemFilter['status']; has_update?: boolean }): ItemFilter => ({
  status: input.status,
  hasUpdate: input.has_update ?? false,
});

export const abandonedFilterOf = (
  scope: SiteScope,
  kind: AbandonedFilter['kind'],
  site: Site | null,
): AbandonedFilter => ({
  scope,
  kind,
  ...(site ? { siteId: site.id } : {}),
});

const itemView = ({ slug, name, version, active, updateVersion }: ListedItem): Schemas['SitePlugin'] => ({
  slug,
  name,
  version,
  active,
  update_version: updateVersion,
});

export const pluginsView = (
  { id, url }: Site,
  plugins: ListedItem[],
): AbilityOutput<operations, 'get-site-plugins-v1'> => ({
  site_id: id,
  site_url: url,
  plugins: plugins.map(itemView),
  total: plugins.length,
});

export const themesView = (
  { id, url }: Site,
  { activeTheme, themes }: SiteThemes,
): AbilityOutput<operations, 'get-site-themes-v1'> => ({
  site_id: id,
  site_url: url,
  active_theme: activeTheme ?? '',
  themes: themes.map(itemView),
  total: themes.length,
});

const abandonedView = (entry: AbandonedItemOnSite): Schemas['AbandonedItem'] => ({
  site_id: entry.siteId,
  site_url: entry.siteUrl,
  slug: entry.slug,
  name: entry.name,
  version: entry.version,
  last_updated: toDate(entry.lastUpdatedAt),
});

export const abandonedPageView = ({
  items,
  page,
  perPage,
  total,
}: Page<AbandonedItemOnSite>): AbilityOutput<operations, 'get-abandoned-plugins-v1'> => ({
  items: items.map(abandonedView),
  page,
  per_page: perPage,
  total,
});
