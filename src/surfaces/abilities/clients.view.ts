import type { components } from '../../../generated/abilities.ts';
import type { ClientBrief } from '../../domains/clients/index.ts';

type Schemas = components['schemas'];

export const siteClientView = (siteId: number, client: ClientBrief | null): Schemas['GetSiteClientOutput'] => ({
  site_id: siteId,
  client: client && { id: client.id, name: client.name, email: client.email, status: client.status },
});
