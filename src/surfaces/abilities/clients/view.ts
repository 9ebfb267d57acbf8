import type { components } from '../../../../generated/abilities.ts';
import type { Client, ClientBrief, ListedClient, ClientWithTaggedSiteCount } from '../../../domains/clients/index.ts';
import type { Site } from '../../../domains/sites/index.ts';
import { toIso } from '../../../shared/clock.ts';
import { addressView } from '../../client-profile-fields.ts';
import type { DeletionEffects } from '../../../shared/deletion-effects.ts';

type Schemas = components['schemas'];

export const siteClientView = (siteId: number, client: ClientBrief | null): Schemas['GetSiteClientOutput'] => ({
  site_id: siteId,
  client: client && { id: client.id, name: client.name, email: client.email, status: client.status },
});

export const clientView = (client: ListedClient): Schemas['ClientBrief'] => ({
  id: client.id,
  name: client.name,
  email: client.email,
  phone: client.phone,
  status: client.status,
  sites_count: client.sitesCount,
  created_at: toIso(client.createdAt),
});

export const clientDetailView = (client: Client): Schemas['ClientDetail'] => ({
  ...clientView(client),
  ...addressView(client),
  updated_at: toIso(client.updatedAt),
});

export const namedClientView = ({ id, name }: ClientBrief): { client_id: number; client_name: string } => ({
  client_id: id,
  client_name: name,
});

export const taggedClientView = ({
  id,
  name,
  email,
  sitesWithTag,
}: ClientWithTaggedSiteCount): Schemas['TaggedClient'] => ({
  id,
  name,
  email,
  sites_with_tag: sitesWithTag,
});

export const deleteClientPreviewView = (
  client: Client,
  effects: DeletionEffects<'client'>,
): Schemas['DeleteClientOutput'] => ({
  dry_run: true,
  deleted: false,
  ...namedClientView(client),
  would_affect: effects,
});

export const siteWithStatusView = ({ id, url, name, status }: Site): Schemas['SiteState'] => ({
  id,
  url,
  name,
  status,
});
