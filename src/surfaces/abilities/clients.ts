import type { operations } from '../../../generated/abilities.ts';
import type { ClientService } from '../../domains/clients/index.ts';
import type { SiteReferences } from '../../domains/sites/index.ts';
import type { SomeHandlers } from '../../http/operation.ts';
import { siteClientView } from './clients.view.ts';

export interface ClientsParts {
  references: SiteReferences;
  clients: ClientService;
}

/** Clients and the sites that they own. */
export const clients = ({ references, clients }: ClientsParts): SomeHandlers<operations, 'get-site-client-v1'> => ({
  'get-site-client-v1': async ({ site_id_or_domain }) => {
    const { id, clientId } = await references.one(site_id_or_domain);
    return siteClientView(id, clientId === null ? null : await clients.brief(clientId));
  },
});
