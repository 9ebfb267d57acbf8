import type { operations } from '../../../generated/v2.ts';
import type { ClientService } from '../../domains/clients/index.ts';
import type { CostReadModel, CostRecord, CostService } from '../../domains/costs/index.ts';
import type { SiteList } from '../../domains/sites/index.ts';
import { etagOf, precondition } from '../../http/etags.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { costPatchOf, newCostOf, refusedCost } from './costs.input.ts';
import { clientBriefView } from './clients.view.ts';
import { costView } from './costs.view.ts';
import { given, unlessAny } from './input.ts';
import { paged, pageRequestOf } from './paging.ts';
import { siteBriefView } from './sites.view.ts';

type Names = 'costs_list' | 'costs_add' | 'costs_get' | 'costs_edit' | 'costs_remove' | 'costs_sites' | 'costs_clients';

export interface CostsParts {
  base: string;
  costs: CostService;
  siteCosts: CostReadModel;
  clients: ClientService;
  list: SiteList;
}

const written = (message: string, cost: CostRecord) => {
  const data = costView(cost);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

/** Costs, and what they are for. */
export const costs = ({ base, costs, siteCosts, clients, list }: CostsParts): SomeHandlers<operations, Names> => ({
  costs_list: async ({ query }) => {
    const { search, include, exclude } = query;
    const [productType, type, status] = [unlessAny(query.category), unlessAny(query.type), unlessAny(query.status)];
    const filter = given({ search, include, exclude, productType, type, status });
    return paged(await costs.list(filter, pageRequestOf(query)), costView, `${base}/costs`, query);
  },
  costs_add: async ({ body, caller }) => {
    const id = await costs.create(newCostOf(body), caller.name).catch(refusedCost);
    return written('The cost was added.', await costs.get(id));
  },
  costs_get: async ({ path }) => {
    const data = costView(await costs.get(path.cost_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  costs_edit: async ({ path, body, caller, ifMatch }) => {
    const unchanged = precondition(ifMatch, costView);
    const cost = await costs.update(path.cost_id, costPatchOf(body), caller.name, unchanged).catch(refusedCost);
    return written('The cost was saved.', cost);
  },
  costs_remove: async ({ path, caller, ifMatch }) =>
    written('The cost was removed.', await costs.delete(path.cost_id, caller.name, precondition(ifMatch, costView))),
  costs_sites: async ({ path, query }) => {
    const { id } = await costs.get(path.cost_id);
    const page = await siteCosts.sitesOf(id, pageRequestOf(query));
    const items = await list.byIds(page.items);
    return paged({ ...page, items }, siteBriefView, `${base}/costs/${id}/sites`, query);
  },
  costs_clients: async ({ path, query }) => {
    const { id } = await costs.get(path.cost_id);
    const page = await siteCosts.clientsOf(id, pageRequestOf(query));
    const items = await clients.byIds(page.items);
    return paged({ ...page, items }, clientBriefView, `${base}/costs/${id}/clients`, query);
  },
});
