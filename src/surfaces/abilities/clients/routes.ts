import type { RequiredServices } from '../../../service/services.ts';
import { requesterOf } from '../../../shared/requester.ts';
import type { HandlersOf } from '../handlers.ts';
import { toClientSites, clientFilterOf, clientPatchOf, newClientOf } from './input.ts';
import {
  clientDetailView,
  clientView,
  deleteClientPreviewView,
  namedClientView,
  siteClientView,
  siteWithStatusView,
} from './view.ts';

export { fieldNames } from './input.ts';

export const routes = ({
  sites: { list },
  clients: { clients },
}: RequiredServices<'sites' | 'clients'>): HandlersOf<'clients'> => ({
  'get-site-client-v1': async (_input, { site: { id, clientId } }) => {
    return siteClientView(id, clientId === null ? null : await clients.brief(clientId));
  },
  'list-clients-v1': async (input, { caller }) => {
    const { page, per_page } = input;
    const { items, total } = await clients.list(caller.sites, clientFilterOf(input), { page, perPage: per_page });
    return { items: items.map(clientView), page, per_page, total };
  },
  'count-clients-v1': async (input, { caller }) => ({
    total: await clients.count(caller.sites, clientFilterOf(input)),
  }),
  'get-client-v1': async ({ client_id_or_email }, { caller }) =>
    clientDetailView(await clients.get(caller.sites, client_id_or_email)),
  'add-client-v1': async (input, { caller }) => {
    const belongings = toClientSites(input);
    return clientDetailView(await clients.create(newClientOf(input), caller.name, belongings));
  },
  'update-client-v1': async (input, { caller }) => {
    const { client_id_or_email: ref } = input;
    const [patch, belongings] = [clientPatchOf(input), toClientSites(input)];
    return clientDetailView(await clients.update(caller.sites, ref, patch, requesterOf(caller), belongings));
  },
  'delete-client-v1': async (input, { caller }) => {
    if (input.dry_run) {
      const { client, effects } = await clients.previewDelete(caller, input.client_id_or_email);
      return deleteClientPreviewView(client, effects);
    }
    return {
      deleted: true,
      ...namedClientView(await clients.delete(caller.sites, input.client_id_or_email, caller.name)),
    };
  },
  'get-client-sites-v1': async ({ client_id_or_email, page, per_page }, { caller }) => {
    const client = await clients.find(caller.sites, client_id_or_email);
    const { items, total } = await list.page(caller.sites, { clientId: client.id }, { page, perPage: per_page });
    return { ...namedClientView(client), sites: items.map(siteWithStatusView), page, per_page, total };
  },
  'count-client-sites-v1': async ({ client_id_or_email }, { caller }) => {
    const client = await clients.get(caller.sites, client_id_or_email);
    return { ...namedClientView(client), sites_count: client.sitesCount };
  },
  'suspend-client-v1': async ({ client_id_or_email }, { caller }) => {
    const { client, sites } = await clients.suspend(caller.sites, client_id_or_email, caller.name);
    return { suspended: true, ...namedClientView(client), sites_suspended: sites };
  },
  'unsuspend-client-v1': async ({ client_id_or_email }, { caller }) => {
    const { client, sites } = await clients.unsuspend(caller.sites, client_id_or_email, caller.name);
    return { unsuspended: true, ...namedClientView(client), sites_unsuspended: sites };
  },
});
