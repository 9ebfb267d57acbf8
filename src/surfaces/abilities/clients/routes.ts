import type { RequiredServices } from '../../../service/services.ts';
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
  'list-clients-v1': async (input) => {
    const { page, per_page } = input;
    const { items, total } = await clients.list(clientFilterOf(input), { page, perPage: per_page });
    return { items: items.map(clientView), page, per_page, total };
  },
  'count-clients-v1': async (input) => ({ total: await clients.count(clientFilterOf(input)) }),
  'get-client-v1': async ({ client_id_or_email }) => clientDetailView(await clients.get(client_id_or_email)),
  'add-client-v1': async (input, { caller }) => {
    const belongings = toClientSites(input);
    return clientDetailView(await clients.create(newClientOf(input), caller.name, belongings));
  },
  'update-client-v1': async (input, { caller }) => {
    const { client_id_or_email: ref } = input;
    const [patch, belongings] = [clientPatchOf(input), toClientSites(input)];
    return clientDetailView(await clients.update(ref, patch, caller.name, belongings));
  },
  'delete-client-v1': async (input, { caller }) => {
    if (input.dry_run) {
      const { client, costs } = await clients.previewDelete(input.client_id_or_email);
      return deleteClientPreviewView(client, costs);
    }
    return { deleted: true, ...namedClientView(await clients.delete(input.client_id_or_email, caller.name)) };
  },
  'get-client-sites-v1': async ({ client_id_or_email, page, per_page }) => {
    const client = await clients.find(client_id_or_email);
    const { items, total } = await list.page({ clientId: client.id }, { page, perPage: per_page });
    return { ...namedClientView(client), sites: items.map(siteWithStatusView), page, per_page, total };
  },
  'count-client-sites-v1': async ({ client_id_or_email }) => {
    const client = await clients.get(client_id_or_email);
    return { ...namedClientView(client), sites_count: client.sitesCount };
  },
  'suspend-client-v1': async ({ client_id_or_email }, { caller }) => {
    const { client, sites } = await clients.suspend(client_id_or_email, caller.name);
    return { suspended: true, ...namedClientView(client), sites_suspended: sites };
  },
  'unsuspend-client-v1': async ({ client_id_or_email }, { caller }) => {
    const { client, sites } = await clients.unsuspend(client_id_or_email, caller.name);
    return { unsuspended: true, ...namedClientView(client), sites_unsuspended: sites };
  },
});
