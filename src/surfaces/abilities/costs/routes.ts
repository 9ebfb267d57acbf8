import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { clientCostsView, siteCostsView } from './view.ts';

export const routes = ({
  clients: { clients },
  costs: { siteCosts },
}: RequiredServices<'clients' | 'costs'>): HandlersOf<'costs'> => ({
  'get-site-costs-v1': async (_input, { site: { id } }) => {
    return siteCostsView(id, await siteCosts.ofSite(id));
  },
  'get-client-costs-v1': async ({ client_id_or_email }, { caller }) => {
    const client = await clients.find(caller.sites, client_id_or_email);
    return clientCostsView(client, await siteCosts.ofClient(caller.sites, client.id));
  },
});
