import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { abandonedFilterOf, abandonedPageView, itemFilterOf, pluginsView, themesView } from './view.ts';

export const routes = ({
  inventory: { inventory, inventoryReadModel },
}: RequiredServices<'inventory'>): HandlersOf<'inventory'> => {
  return {
    'get-site-plugins-v1': async (input, { site }) => {
      return pluginsView(site, await inventoryReadModel.plugins(site.id, itemFilterOf(input)));
    },
    'activate-site-plugins-v1': async (input, { caller, site: { id } }) => {
      const { done, errors } = await inventory.activatePlugins(id, input.slugs, caller.name);
      return { site_id: id, activated: done, errors };
    },
    'deactivate-site-plugins-v1': async (input, { caller, site: { id } }) => {
      const { done, errors } = await inventory.deactivatePlugins(id, input.slugs, caller.name);
      return { site_id: id, deactivated: done, errors };
    },
    'delete-site-plugins-v1': async (input, { caller, site: { id } }) => {
      const { done, errors } = await inventory.deletePlugins(id, input.slugs, caller.name);
      return { site_id: id, deleted: done, errors };
    },
    'get-site-themes-v1': async (input, { site }) => {
      return themesView(site, await inventoryReadModel.themes(site.id, itemFilterOf(input)));
    },
    'activate-site-theme-v1': async (input, { caller, site: { id } }) => {
      const { activated, previousTheme } = await inventory.activateTheme(id, input.slug, caller.name);
      return { site_id: id, activated: activated.slug, previous_theme: previousTheme?.slug ?? null };
    },
    'delete-site-themes-v1': async (input, { caller, site: { id } }) => {
      const { done, errors } = await inventory.deleteThemes(id, input.slugs, caller.name);
      return { site_id: id, deleted: done, errors };
    },
    'get-abandoned-plugins-v1': async (input, { caller, site }) => {
      const filter = abandonedFilterOf(caller.sites, 'plugin', site);
      return abandonedPageView(
        await inventoryReadModel.abandoned(filter, { page: input.page, perPage: input.per_page }),
      );
    },
    'get-abandoned-themes-v1': async (input, { caller, site }) => {
      const filter = abandonedFilterOf(caller.sites, 'theme', site);
      return abandonedPageView(
        await inventoryReadModel.abandoned(filter, { page: input.page, perPage: input.per_page }),
      );
    },
  };
};
