import type { ItemKind } from '../../../domains/inventory/index.ts';
import { pageOf } from '../../../shared/paging.ts';
import type { Needs } from '../../../services.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { given } from '../input.ts';
import { paged, pageRequestOf } from '../paging.ts';
import { abandonedView, itemFilterOf, itemsDoneView, itemView, pluginView, sentenceOf, themeView } from './view.ts';
import { slugsOf } from '../sites/input.ts';
import { siteReferenceView } from '../sites/view.ts';

/** Plugins and themes of a site. */
export const routes = (
  { sites: { references }, inventory: { inventory, inventoryReadModel } }: Needs<'sites' | 'inventory'>,
  { base }: Door,
): HandlersOf<'inventory'> => {
  const idOf = async (path: { id_or_domain: string }): Promise<number> => (await references.one(path.id_or_domain)).id;
  const abandoned = async (kind: ItemKind, ref: string, query: { page: number; per_page: number }) => {
    const site = await references.one(ref);
    const page = await inventoryReadModel.abandoned({ kind, siteId: site.id }, pageRequestOf(query));
    const answer = paged(page, abandonedView, `${base}/sites/${site.id}/${kind}s/abandoned`, query);
    return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
  };
  return {
    sites_plugins: async ({ path, query }) => {
      const site = await references.one(path.id_or_domain);
      const filter = { ...itemFilterOf(query), ...given({ mustUse: query.must_use }) };
      const page = pageOf(await inventoryReadModel.plugins(site.id, filter), pageRequestOf(query));
      const answer = paged(page, pluginView, `${base}/sites/${site.id}/plugins`, query);
      return { ...answer, body: { ...answer.body, site: siteReferenceView(site) } };
    },
    sites_plugins_abandoned: ({ path, query }) => abandoned('plugin', path.id_or_domain, query),
    sites_plugins_activate: async ({ path, body, caller }) => {
      const outcome = await inventory.activatePlugins(await idOf(path), slugsOf(body), caller.name);
      return { status: 200, body: itemsDoneView(outcome, 'activated') };
    },
    sites_plugins_deactivate: async ({ path, body, caller }) => {
      const outcome = await inventory.deactivatePlugins(await idOf(path), slugsOf(body), caller.name);
      return { status: 200, body: itemsDoneView(outcome, 'deactivated') };
    },
    sites_plugins_delete: async ({ path, query, caller }) => {
      const outcome = await inventory.deletePlugins(await idOf(path), query.slug, caller.name);
      return { status: 200, body: itemsDoneView(outcome, 'deleted') };
    },
    sites_themes: async ({ path, query }) => {
      const site = await references.one(path.id_or_domain);
      const { activeTheme, themes } = await inventoryReadModel.themes(site.id, itemFilterOf(query));
      const page = pageOf(themes, pageRequestOf(query));
      const answer = paged(page, themeView, `${base}/sites/${site.id}/themes`, query);
      return { ...answer, body: { ...answer.body, site: siteReferenceView(site), active_theme: activeTheme } };
    },
    sites_themes_abandoned: ({ path, query }) => abandoned('theme', path.id_or_domain, query),
    sites_themes_activate: async ({ path, body, caller }) => {
      const site = await references.one(path.id_or_domain);
      const { activated, previousTheme } = await inventory.activateTheme(site.id, body.slug, caller.name);
      const left = previousTheme?.slug === activated.slug ? null : previousTheme;
      const data = { deactivate: left && itemView(left), activate: itemView(activated) };
      const message = 'The theme was activated.';
      return { status: 200, body: { success: 1, message, data, site: siteReferenceView(site) } };
    },
    sites_themes_delete: async ({ path, query, caller }) => {
      const outcome = await inventory.deleteThemes(await idOf(path), query.slug, caller.name);
      const message = sentenceOf(outcome, 'themes', 'deleted');
      const data = { delete: outcome.items.map(itemView) };
      const site = siteReferenceView(outcome.site);
      return { status: 200, body: { success: 1, message, data, errors: outcome.errors, site } };
    },
  };
};
