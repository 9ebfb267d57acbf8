import type { Site, SiteRef } from '../../../domains/sites/index.ts';
import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { requireConfirmation } from '../confirmation.ts';
import { abandonedFilterOf, abandonedPageView, itemFilterOf, pluginsView, themesView } from './view.ts';

/** Plugins and themes of the sites. */
export const routes = ({
  sites: { references },
  inventory: { inventory, inventoryReadModel },
}: Needs<'sites' | 'inventory'>): HandlersOf<'inventory'> => {
  const optional = (ref: SiteRef | undefined): Promise<Site | null> =>
    ref === undefined ? Promise.resolve(null) : references.one(ref);
  return {
    'get-site-plugins-v1': async (input) => {
      const site = await references.one(input.site_id_or_domain);
      return pluginsView(site, await inventoryReadModel.plugins(site.id, itemFilterOf(input)));
    },
    'activate-site-plugins-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      const { done, errors } = await inventory.activatePlugins(id, input.slugs, caller.name);
      return { site_id: id, activated: done, errors };
    },
    'deactivate-site-plugins-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      const { done, errors } = await inventory.deactivatePlugins(id, input.slugs, caller.name);
      return { site_id: id, deactivated: done, errors };
    },
    'delete-site-plugins-v1': async (input, { caller }) => {
      requireConfirmation(input);
      const { id } = await references.one(input.site_id_or_domain);
      const { done, errors } = await inventory.deletePlugins(id, input.slugs, caller.name);
      return { site_id: id, deleted: done, errors };
    },
    'get-site-themes-v1': async (input) => {
      const site = await references.one(input.site_id_or_domain);
      return themesView(site, await inventoryReadModel.themes(site.id, itemFilterOf(input)));
    },
    'activate-site-theme-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      const { activated, previousTheme } = await inventory.activateTheme(id, input.slug, caller.name);
      return { site_id: id, activated: activated.slug, previous_theme: previousTheme?.slug ?? null };
    },
    'delete-site-themes-v1': async (input, { caller }) => {
      requireConfirmation(input);
      const { id } = await references.one(input.site_id_or_domain);
      const { done, errors } = await inventory.deleteThemes(id, input.slugs, caller.name);
      return { site_id: id, deleted: done, errors };
    },
    'get-abandoned-plugins-v1': async (input) => {
      const filter = abandonedFilterOf('plugin', await optional(input.site_id_or_domain));
      return abandonedPageView(
        await inventoryReadModel.abandoned(filter, { page: input.page, perPage: input.per_page }),
      );
    },
    'get-abandoned-themes-v1': async (input) => {
      const filter = abandonedFilterOf('theme', await optional(input.site_id_or_domain));
      return abandonedPageView(
        await inventoryReadModel.abandoned(filter, { page: input.page, perPage: input.per_page }),
      );
    },
  };
};
