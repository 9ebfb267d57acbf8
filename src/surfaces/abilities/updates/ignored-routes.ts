import { CORE_SLUG } from '../../../domains/updates/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { resolveUpdateSiteFilter } from './input.ts';
import { ignorableTypesOf, ignoredPageView } from './view.ts';

export const ignoredRoutes = ({
  sites: { references },
  updates: { ignoredUpdates, ignoredUpdatesReadModel },
}: RequiredServices<'sites' | 'updates'>) =>
  ({
    'list-ignored-updates-v1': async (input, { caller }) => {
      const { filter, errors } = await resolveUpdateSiteFilter(caller.sites, references, input.site_ids_or_domains);
      const types = ignorableTypesOf(input.types);
      const request = { page: input.page, perPage: input.per_page };
      return ignoredPageView(await ignoredUpdatesReadModel.page({ types, ...filter }, request), errors);
    },
    'set-ignored-updates-v1': async ({ action, type, slug }, { caller, site }) => {
      await ignoredUpdates.set(site, { type, slugs: [slug], ignored: action === 'ignore' }, caller.name);
      return { success: true, action, site_id: site.id, type, slug };
    },
    'ignore-site-core-v1': async ({ action }, { caller, site }) => {
      const rule = { type: 'core', slugs: [CORE_SLUG], ignored: action === 'add' } as const;
      const ignored = await ignoredUpdates.set(site, rule, caller.name);
      return { success: true, site_id: site.id, action, core_ignored: ignored.length > 0 };
    },
    'ignore-site-plugins-v1': async ({ action, slugs }, { caller, site }) => {
      const rule = { type: 'plugin', slugs, ignored: action === 'add' } as const;
      return {
        success: true,
        site_id: site.id,
        action,
        plugins_ignored: await ignoredUpdates.set(site, rule, caller.name),
      };
    },
    'ignore-site-themes-v1': async ({ action, slugs }, { caller, site }) => {
      const rule = { type: 'theme', slugs, ignored: action === 'add' } as const;
      return {
        success: true,
        site_id: site.id,
        action,
        themes_ignored: await ignoredUpdates.set(site, rule, caller.name),
      };
    },
  }) satisfies Partial<HandlersOf<'updates'>>;
