import type { operations } from '../../../generated/abilities.ts';
import type { ClientService } from '../../domains/clients/index.ts';
import type { CostReadModel } from '../../domains/costs/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { clientCostsView, siteCostsView } from './costs.view.ts';

type Names = 'get-site-costs-v1' | 'get-client-costs-v1';

export interface CostsParts {
  references: SiteReferences;
  clients: ClientService;
  costs: CostReadModel;
}

/** What sites cost, alone and for a client. */
export const costs = ({ references, clients, costs }: CostsParts): SomeHandlers<operations, Names> => ({
  'get-site-costs-v1': async ({ site_id_or_domain }) => {
    const { id } = await references.one(site_id_or_domain);
    return siteCostsView(id, await costs.ofSite(id));
  },
  'get-client-costs-v1': async ({ client_id_or_email }) => {
    const client = await clients.find(client_id_or_email);
    return clientCostsView(client, await costs.ofClient(client.id));
  },
});
