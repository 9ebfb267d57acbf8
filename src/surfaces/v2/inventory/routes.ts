import { ALL_SITES } from '../../../shared/site-scope.ts';
import type { ItemKind } from '../../../domains/inventory/index.ts';
import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import { pageOf } from '../../../shared/paging.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import {
  abandonedView,
  itemFilterOf,
  itemActionView,
  itemView,
  pluginView,
  itemActionMessage,
  themeView,
} from './view.ts';
import { parseSlugs } from '../sites/input.ts';
import { siteReferenceView } from '../sites/view.ts';

export const routes = (
  { inventory: { inventory, inventoryReadModel } }: RequiredServices<'inventory'>,
  { base }: BaseAddress,
): HandlersOf<'inventory'> => {
  const abandoned = async (kind: ItemKind, site: SiteWithUrlKey, query: { page: number; per_page: number }) => {
    const page = await inventoryReadModel.abandoned({ scope: ALL_SITES, kind, siteId: site.id }, pageRequestOf(query));
    const answer = pageResponse(page, abandonedView, `${base}/sites/${site.id}/${kind}s/abandoned`, query);
    return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
  };
  return {
    sites_plugins: async ({ query, site }) => {
      const filter = { ...itemFilterOf(query), ...dropEmptyFilters({ mustUse: query.must_use }) };
      const page = pageOf(await inventoryReadModel.plugins(site.id, filter), pageRequestOf(query));
      const answer = pageResponse(page, pluginView, `${base}/sites/${site.id}/plugins`, query);
      return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
    },
    sites_plugins_abandoned: ({ query, site }) => abandoned('plugin', site, query),
    sites_plugins_activate: async ({ body, caller, site }) => {
      const outcome = await inventory.activatePlugins(site.id, parseSlugs(body), caller.name);
      return { status: 200, body: itemActionView(outcome, 'activated') };
    },
    sites_plugins_deactivate: async ({ body, caller, site }) => {
      const outcome = await inventory.deactivatePlugins(site.id, parseSlugs(body), caller.name);
      return { status: 200, body: itemActionView(outcome, 'deactivated') };
    },
    sites_plugins_delete: async ({ query, caller, site }) => {
      const outcome = await inventory.deletePlugins(site.id, query.slug, caller.name);
      return { status: 200, body: itemActionView(outcome, 'deleted') };
    },
    sites_themes: async ({ query, site }) => {
      const { activeTheme, themes } = await inventoryReadModel.themes(site.id, itemFilterOf(query));
      const page = pageOf(themes, pageRequestOf(query));
      const answer = pageResponse(page, themeView, `${base}/sites/${site.id}/themes`, query);
      return { ...answer, body: { ...answer.body, site: siteReferenceView(site), active_theme: activeTheme } };
    },
    sites_themes_abandoned: ({ query, site }) => abandoned('theme', site, query),
    sites_themes_activate: async ({ body, caller, site }) => {
      const { activated, previousTheme } = await inventory.activateTheme(site.id, body.slug, caller.name);
      const left = previousTheme?.slug === activated.slug ? null : previousTheme;
      const data = { deactivate: left && itemView(left), activate: itemView(activated) };
      const message = 'The theme was activated.';
      return { status: 200, body: { success: 1, message, data, site: siteReferenceView(site) } };
    },
    sites_themes_delete: async ({ query, caller, site }) => {
      const outcome = await inventory.deleteThemes(site.id, query.slug, caller.name);
      const message = itemActionMessage(outcome, 'themes', 'deleted');
      const data = { delete: outcome.items.map(itemView) };
      const body = {
        success: 1 as const,
        message,
        data,
        errors: outcome.errors,
        site: siteReferenceView(outcome.site),
      };
      return { status: 200, body };
    },
  };
};
