import { CachedBodies } from '../../../http/cached-bodies.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { SurfaceContext } from '../surface-context.ts';
import type { HandlersOf } from '../handlers.ts';
import { fleetRoutes } from './fleet-routes.ts';
import { addSiteOf, toReconnectCredentials, siteFilterOf, sitePatchOf } from './input.ts';
import {
  siteBriefView,
  deletePreviewView,
  siteDetailView,
  sitePageView,
  siteStateView,
  siteStatsView,
} from './view.ts';

export const routes = (needs: RequiredServices<'sites' | 'jobs'>, context: SurfaceContext): HandlersOf<'sites'> => {
  const { sites, list } = needs.sites;
  const pages = new CachedBodies(sitePageView);
  return {
    ...fleetRoutes(needs, context),
    'list-sites-v1': async (input, { caller }) => {
      const request = { page: input.page, perPage: input.per_page };
      return pages.of(await list.page(caller.sites, siteFilterOf(input), request));
    },
    'get-site-v1': async (input, { site }) =>
      input.include_stats ? { ...siteDetailView(site), stats: siteStatsView(site) } : siteDetailView(site),
    'add-site-v1': async (input, { caller }) => {
      const { id, warnings } = await sites.addWithin(caller.sites, addSiteOf(input), caller.name);
      return { ...siteDetailView(await sites.get(id)), ...(warnings.length ? { warnings } : {}) };
    },
    'update-site-v1': async (input, { caller, site: { id } }) =>
      siteDetailView(await sites.updateWithin(caller.sites, id, sitePatchOf(input), caller.name)),
    'delete-site-v1': async (input, { caller, site }) => {
      const { id } = site;
      if (input.dry_run) return deletePreviewView(site, await sites.previewDelete(caller, id));
      const { childNotified } = await sites.delete(id, caller.name, { deactivateChild: input.deactivate_child });
      return { deleted: true, site_id: site.id, site_url: site.url, child_notified: childNotified };
    },
    'reconnect-site-v1': async (input, { caller, site: { id } }) => {
      return {
        reconnected: true,
        ...siteStateView(await sites.reconnect(id, caller.name, toReconnectCredentials(input))),
      };
    },
    'disconnect-site-v1': async (_input, { caller, site: { id } }) => {
      return { disconnected: true, ...siteStateView(await sites.disconnect(id, caller.name)) };
    },
    'suspend-site-v1': async (_input, { caller, site: { id } }) => {
      return { suspended: true, ...siteStateView(await sites.suspend(id, caller.name)) };
    },
    'unsuspend-site-v1': async (_input, { caller, site: { id } }) => {
      return { unsuspended: true, ...siteStateView(await sites.unsuspend(id, caller.name)) };
    },
    'count-sites-v1': async (input, { caller }) => ({ total: await list.count(caller.sites, siteFilterOf(input)) }),
    'get-sites-basic-v1': async (input, { caller }) => {
      const basics = await list.all(caller.sites, siteFilterOf(input));
      return { sites: basics.map(siteBriefView), total: basics.length };
    },
  };
};
