import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { clientCostsView, siteCostsView } from './view.ts';

/** What sites cost, alone and for a client. */
export const routes = ({
  sites: { references },
  clients: { clients },
  costs: { siteCosts },
}: Needs<'sites' | 'clients' | 'costs'>): HandlersOf<'costs'> => ({
  'get-site-costs-v1': async ({ site_id_or_domain }) => {
    const { id } = await references.one(site_id_or_domain);
    return siteCostsView(id, await siteCosts.ofSite(id));
  },
  'get-client-costs-v1': async ({ client_id_or_email }) => {
    const client = await clients.find(client_id_or_email);
    return clientCostsView(client, await siteCosts.ofClient(client.id));
  },
});
