import type { Needs } from '../../../services.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { requireConfirmation } from '../confirmation.ts';
import { fleet } from './fleet-routes.ts';
import { addSiteOf, credentialsOf, filterOf, sitePatchOf } from './input.ts';
import { basicView, deletePreviewView, detailView, siteView, stateView, statsView } from './view.ts';

/** Records of sites and their connection, one at a time. */
export const routes = (needs: Needs<'sites' | 'costs' | 'jobs'>, door: Door): HandlersOf<'sites'> => {
  const { sites, list, references } = needs.sites;
  const { siteCosts } = needs.costs;
  return {
    ...fleet(needs, door),
    'list-sites-v1': async (input) => {
      const { items, total } = await list.page(filterOf(input), { page: input.page, perPage: input.per_page });
      return { items: items.map(siteView), page: input.page, per_page: input.per_page, total };
    },
    'get-site-v1': async (input) => {
      const site = await sites.get(input.site_id_or_domain);
      return input.include_stats ? { ...detailView(site), stats: statsView(site) } : detailView(site);
    },
    'add-site-v1': async (input, { caller }) => {
      const { id, warnings } = await sites.add(addSiteOf(input), caller.name);
      return { ...detailView(await sites.get(id)), ...(warnings.length ? { warnings } : {}) };
    },
    'update-site-v1': async (input, { caller }) =>
      detailView(await sites.update(input.site_id_or_domain, sitePatchOf(input), caller.name)),
    'delete-site-v1': async (input, { caller }) => {
      if (input.dry_run) {
        const { site, belongings } = await sites.previewDelete(input.site_id_or_domain);
        return deletePreviewView(site, belongings, await siteCosts.countOfSite(site.id));
      }
      requireConfirmation(input);
      const { site, childNotified } = await sites.delete(input.site_id_or_domain, caller.name, {
        deactivateChild: input.deactivate_child,
      });
      return { deleted: true, site_id: site.id, site_url: site.url, child_notified: childNotified };
    },
    'reconnect-site-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      return { reconnected: true, ...stateView(await sites.reconnect(id, caller.name, credentialsOf(input))) };
    },
    'disconnect-site-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      return { disconnected: true, ...stateView(await sites.disconnect(id, caller.name)) };
    },
    'suspend-site-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      return { suspended: true, ...stateView(await sites.suspend(id, caller.name)) };
    },
    'unsuspend-site-v1': async (input, { caller }) => {
      const { id } = await references.one(input.site_id_or_domain);
      return { unsuspended: true, ...stateView(await sites.unsuspend(id, caller.name)) };
    },
    'count-sites-v1': async (input) => ({ total: await list.count(filterOf(input)) }),
    'get-sites-basic-v1': async (input) => {
      const found = await list.all(filterOf(input));
      return { sites: found.map(basicView), total: found.length };
    },
  };
};
