import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import type { IgnorableType } from '../../../domains/updates/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { dropEmptyFilters, parseList } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { ignoredUpdateView } from '../../update-views.ts';
import { ignoreRulesView, skippedUpdateView, updateTypesOf } from './view.ts';

export const ignoredRoutes = (
  { updates: { ignoredUpdates, ignoredUpdatesReadModel, leftOutReadModel } }: RequiredServices<'updates'>,
  { base }: BaseAddress,
) => {
  async function set(site: SiteWithUrlKey, type: IgnorableType, slugs: string[], ignored: boolean, actor: string) {
    const rules = await ignoredUpdates.set(site, { type, slugs, ignored }, actor);
    return { status: 200 as const, body: ignoreRulesView(site, type, rules, ignored) };
  }

  return {
    updates_ignored: async ({ query, caller }) => {
      const { type = [], search, include, exclude } = query;
      const filter = {
        scope: caller.sites,
        types: updateTypesOf(type),
        ...dropEmptyFilters({ search, siteIds: include, exceptSiteIds: exclude }),
      };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return pageResponse(page, ignoredUpdateView, `${base}/updates/ignored`, query);
    },
    updates_left_out: async ({ query, caller }) => {
      const { type = [], reason, search, include, exclude } = query;
      const filter = {
        scope: caller.sites,
        types: updateTypesOf(type),
        ...dropEmptyFilters({ reason, search, siteIds: include, exceptSiteIds: exclude }),
      };
      const page = await leftOutReadModel.page(filter, pageRequestOf(query));
      return pageResponse(page, skippedUpdateView, `${base}/updates/left-out`, query);
    },
    updates_ignored_site: async ({ query, caller, site: { id } }) => {
      const filter = {
        scope: caller.sites,
        types: updateTypesOf(query.type ?? []),
        siteIds: [id],
        ...dropEmptyFilters({ search: query.search }),
      };
      const page = await ignoredUpdatesReadModel.page(filter, pageRequestOf(query));
      return pageResponse(page, ignoredUpdateView, `${base}/updates/${id}/ignored`, query);
    },
    updates_ignore_core: ({ caller, site }) => set(site, 'core', [], true, caller.name),
    updates_unignore_core: ({ caller, site }) => set(site, 'core', [], false, caller.name),
    updates_ignore_plugins: ({ body, caller, site }) => set(site, 'plugin', parseList(body?.slug), true, caller.name),
    updates_unignore_plugins: ({ query, caller, site }) => set(site, 'plugin', query.slug ?? [], false, caller.name),
    updates_ignore_themes: ({ body, caller, site }) => set(site, 'theme', parseList(body?.slug), true, caller.name),
    updates_unignore_themes: ({ query, caller, site }) => set(site, 'theme', query.slug ?? [], false, caller.name),
  } satisfies Partial<HandlersOf<'updates'>>;
};
