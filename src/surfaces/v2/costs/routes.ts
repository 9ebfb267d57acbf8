import type { CostRecord } from '../../../domains/costs/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { mapInTurns } from '../../../shared/event-loop.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { costPatchOf, newCostOf } from './input.ts';
import { clientBriefView } from '../clients/view.ts';
import { clientCostView, costView as viewOf, siteCostView, totalsView } from './view.ts';
import { dropEmptyFilters, listOrderOf, undefinedIfAny } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { optionRoutes } from './options-routes.ts';
import { siteBriefView, siteReferenceView } from '../sites/view.ts';

export { fieldNames } from './input.ts';

type CostRouteDeps = RequiredServices<'costs' | 'clients' | 'sites' | 'settings'>;

export const routes = (
  { costs: { costs, siteCosts, options }, clients: { clients }, sites: { list }, settings: { formats } }: CostRouteDeps,
  { base }: BaseAddress,
): HandlersOf<'costs'> => {
  const costView = (cost: CostRecord) => viewOf(cost, (amount) => formats.money(amount));
  const written = (message: string, cost: CostRecord) => {
    const data = costView(cost);
    return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
  };

  return {
    ...optionRoutes(options),
    costs_list: async ({ query, caller }) => {
      const { search, include, exclude } = query;
      const [productType, type, status] = [
        undefinedIfAny(query.category),
        undefinedIfAny(query.type),
        undefinedIfAny(query.status),
      ];
      const filter = dropEmptyFilters({ search, include, exclude, productType, type, status });
      const page = await costs.list(caller.sites, filter, pageRequestOf(query), listOrderOf(query));
      return pageResponse(page, costView, `${base}/costs`, query);
    },
    costs_add: async ({ body, caller }) => {
      const id = await costs.create(caller.sites, newCostOf(body), caller.name);
      return written('The cost was added.', await costs.get(caller.sites, id));
    },
    costs_get: async ({ path, caller }) => {
      const data = costView(await costs.get(caller.sites, path.cost_id));
      return { status: 200, etag: etagOf(data), body: { success: 1, data } };
    },
    costs_edit: async ({ path, body, caller, ifMatch }) => {
      const unchanged = precondition(ifMatch, costView);
      const cost = await costs.update(caller.sites, path.cost_id, costPatchOf(body), caller.name, unchanged);
      return written('The cost was saved.', cost);
    },
    costs_remove: async ({ path, caller, ifMatch }) =>
      written(
        'The cost was removed.',
        await costs.delete(caller.sites, path.cost_id, caller.name, precondition(ifMatch, costView)),
      ),
    costs_sites: async ({ path, query, caller }) => {
      const { id } = await costs.get(caller.sites, path.cost_id);
      const page = await siteCosts.sitesOf(caller.sites, id, pageRequestOf(query));
      const items = await list.byIds(page.items);
      return pageResponse({ ...page, items }, siteBriefView, `${base}/costs/${id}/sites`, query);
    },
    costs_clients: async ({ path, query, caller }) => {
      const { id } = await costs.get(caller.sites, path.cost_id);
      const page = await siteCosts.clientsOf(caller.sites, id, pageRequestOf(query));
      const items = await clients.byIds(caller.sites, page.items);
      return pageResponse({ ...page, items }, clientBriefView, `${base}/costs/${id}/clients`, query);
    },
    clients_costs: async ({ path, caller }) => {
      const { id } = await clients.find(caller.sites, path.id_or_email);
      const clientCosts = await siteCosts.ofClient(caller.sites, id);
      const data = await mapInTurns(clientCosts.costs, clientCostView);
      return { status: 200, body: { success: 1, data, total: data.length, ...totalsView(clientCosts) } };
    },
    sites_costs: async ({ site }) => {
      const costsOfSite = await siteCosts.ofSite(site.id);
      const data = costsOfSite.costs.map(siteCostView);
      const body = {
        success: 1 as const,
        data,
        total: data.length,
        ...totalsView(costsOfSite),
        site: siteReferenceView(site),
      };
      return { status: 200, body };
    },
  };
};
