import type { Site, SiteRecord } from '../../../domains/sites/index.ts';
import { noIgnoreRules, allItemsSlug } from '../../../domains/updates/index.ts';
import { CachedBodies } from '../../../http/cached-bodies.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { mapInTurns } from '../../../shared/event-loop.ts';
import type { Page } from '../../../shared/paging.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageBody, pageHeaders, pageResponse, pageRequestOf } from '../paging.ts';
import { listOrderOf } from '../query-helpers.ts';
import { connectionRoutes } from './connection-routes.ts';
import { fleetRoutes } from './fleet-routes.ts';
import { fullDataView } from './full-data-view.ts';
import { addSiteOf, siteFilterOf, toIgnoredUpdateTypes, sitePatchOf } from './input.ts';
import { siteBriefView, siteEtagContent, siteView, siteWithoutTagsView } from './view.ts';

type SiteViewOptions = { with_tags: boolean; full_data: boolean };

export const routes = (
  needs: RequiredServices<'sites' | 'inventory' | 'updates' | 'jobs'>,
  context: BaseAddress,
): HandlersOf<'sites'> => {
  const { sites, list } = needs.sites;
  const { ignoredUpdates } = needs.updates;
  const { base } = context;
  const basicPages = new CachedBodies((page: Page<Site>) => pageBody(page, siteBriefView));
  return {
    ...connectionRoutes(needs),
    ...fleetRoutes(needs, context),
    sites_list: async ({ query, caller }) => {
      const page = await list.records(caller.sites, siteFilterOf(query), pageRequestOf(query), listOrderOf(query), {
        withTags: query.with_tags,
      });
      const ids = page.items.map(({ id }) => id);
      const items = await mapInTurns(page.items, await loadSiteView(needs, ids, query));
      return pageResponse({ ...page, items }, (view) => view, `${base}/sites`, query);
    },
    sites_list_basic: async ({ query, caller }) => {
      const page = await list.page(caller.sites, siteFilterOf(query), pageRequestOf(query), listOrderOf(query));
      return { status: 200, body: basicPages.of(page), headers: pageHeaders(page, `${base}/sites/basic`, query) };
    },
    sites_count: async ({ query, caller }) => {
      const count = await list.count(caller.sites, siteFilterOf(query));
      return { status: 200, body: { success: 1, count, total: count } };
    },
    sites_get: async ({ query, site: { id } }) => {
      const site = await sites.record(id);
      const data = (await loadSiteView(needs, [id], query))(site);
      const tag = query.full_data ? {} : { etag: etagOf(siteEtagContent(site)) };
      return { status: 200, ...tag, body: { success: 1, data } };
    },
    sites_add: async ({ body, caller }) => {
      const { id, warnings } = await sites.addWithin(caller.sites, addSiteOf(body), caller.name);
      const data = siteBriefView(await sites.get(id));
      const notices = warnings.length > 0 ? { warnings } : {};
      return { status: 200, body: { success: 1, message: 'The site was added.', data, ...notices } };
    },
    sites_edit: async ({ body, caller, ifMatch, site }) => {
      const unchanged = precondition(ifMatch, siteEtagContent);
      await sites.updateWithin(caller.sites, site.id, sitePatchOf(body), caller.name, unchanged);
      for (const { type, ignored } of toIgnoredUpdateTypes(body))
        await ignoredUpdates.set(site, { type, slugs: [allItemsSlug(type)], ignored }, caller.name);
      const saved = await sites.record(site.id);
      const data = siteView(saved);
      const etag = etagOf(siteEtagContent(saved));
      return { status: 200, etag, body: { success: 1, message: 'The site was saved.', data } };
    },
    sites_remove: async ({ query, caller, ifMatch, site }) => {
      const etag = etagOf(siteEtagContent(await sites.record(site.id)));
      const { childNotified } = await sites.delete(site.id, caller.name, {
        deactivateChild: query.deactivate_child,
        precondition: precondition(ifMatch, siteEtagContent),
      });
      const data = siteBriefView(site);
      return {
        status: 200,
        etag,
        body: { success: 1, message: 'The site was removed.', data, child_notified: childNotified },
      };
    },
  };
};

async function loadSiteView(
  {
    inventory: { inventoryReadModel },
    updates: { updateReadModel, ignoredUpdatesReadModel },
  }: RequiredServices<'inventory' | 'updates'>,
  ids: readonly number[],
  { with_tags, full_data }: SiteViewOptions,
): Promise<(site: SiteRecord) => ReturnType<typeof siteView>> {
  const view = with_tags ? siteView : siteWithoutTagsView;
  if (!full_data) return view;
  const [inventories, updates, rules] = await Promise.all([
    inventoryReadModel.ofSites(ids),
    updateReadModel.ofSites(ids),
    ignoredUpdatesReadModel.ofSites(ids),
  ]);
  return (site) => {
    const inventory = inventories.get(site.id) ?? { activeTheme: null, plugins: [], themes: [] };
    const ignored = rules.get(site.id) ?? noIgnoreRules();
    return { ...view(site), ...fullDataView({ inventory, updates: updates.get(site.id) ?? [], ignored }) };
  };
}
