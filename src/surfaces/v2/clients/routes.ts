import {
  OPTIONAL_CLIENT_FIELDS,
  type ClientDetail,
  type OptionalClientFields,
} from '../../../domains/clients/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { requesterOf } from '../../../shared/requester.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { clientFieldRoutes } from './client-field-routes.ts';
import { toSitesAndFieldValues, clientPatchOf } from './input.ts';
import { clientBriefView, clientView } from './view.ts';
import { dropEmptyFilters, listOrderOf, undefinedIfAny } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { siteBriefView, siteReferenceView } from '../sites/view.ts';

export { fieldNames } from './input.ts';

const clientResponse = (message: string, client: ClientDetail) => {
  const data = clientView(client);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

const requestedOptionalFields = (query: { full_data: boolean; with_tags: boolean; with_custom_fields: boolean }) =>
  OPTIONAL_CLIENT_FIELDS.filter(
    (part: keyof OptionalClientFields) =>
      query.full_data || (part === 'tags' && query.with_tags) || (part === 'customFields' && query.with_custom_fields),
  );

export const routes = (needs: RequiredServices<'clients' | 'sites'>, context: BaseAddress): HandlersOf<'clients'> => {
  const { clients } = needs.clients;
  const { list } = needs.sites;
  const { base } = context;
  return {
    ...clientFieldRoutes(needs, context),
    clients_list: async ({ query, caller }) => {
      const { search, include, exclude } = query;
      const filter = dropEmptyFilters({ search, include, exclude, status: undefinedIfAny(query.status) });
      const [request, extras] = [pageRequestOf(query), requestedOptionalFields(query)];
      const page = await clients.listFull(caller.sites, filter, request, extras, listOrderOf(query));
      return pageResponse(page, clientView, `${base}/clients`, query);
    },
    clients_count: async ({ query: { search, include, exclude, status }, caller }) => {
      const filter = dropEmptyFilters({ search, include, exclude, status: undefinedIfAny(status) });
      const total = await clients.count(caller.sites, filter);
      return { status: 200, body: { success: 1, total, count: total } };
    },
    clients_get: async ({ path, caller }) => {
      const data = clientView(await clients.detail(caller.sites, path.id_or_email));
      return { status: 200, etag: etagOf(data), body: { success: 1, data } };
    },
    clients_add: async ({ body, caller }) => {
      const input = { ...clientPatchOf(body), name: body.name };
      return clientResponse(
        'The client was added.',
        await clients.create(input, caller.name, toSitesAndFieldValues(body)),
      );
    },
    clients_edit: async ({ path, body, caller, ifMatch }) => {
      const [patch, belongings] = [clientPatchOf(body), toSitesAndFieldValues(body)];
      const unchanged = precondition(ifMatch, clientView);
      const [ref, by] = [path.id_or_email, requesterOf(caller)];
      const client = await clients.update(caller.sites, ref, patch, by, belongings, unchanged);
      return clientResponse('The client was saved.', client);
    },
    clients_remove: async ({ path, caller, ifMatch }) =>
      clientResponse(
        'The client was removed.',
        await clients.delete(caller.sites, path.id_or_email, caller.name, precondition(ifMatch, clientView)),
      ),
    clients_sites: async ({ caller, path, query }) => {
      const { id } = await clients.find(caller.sites, path.id_or_email);
      const page = await list.page(caller.sites, { clientId: id }, pageRequestOf(query));
      return pageResponse(page, siteBriefView, `${base}/clients/${id}/sites`, query);
    },
    clients_sites_count: async ({ path, caller }) => {
      const { sitesCount } = await clients.get(caller.sites, path.id_or_email);
      return { status: 200, body: { success: 1, total: sitesCount, count: sitesCount } };
    },
    clients_suspend: async ({ path, caller }) => {
      const { client, sites } = await clients.suspend(caller.sites, path.id_or_email, caller.name);
      const data = clientView(await clients.detail(caller.sites, client.id));
      const message = 'The client was suspended.';
      return { status: 200, body: { success: 1, message, data, suspended: 1, sites_suspended: sites } };
    },
    clients_unsuspend: async ({ path, caller }) => {
      const { client, sites } = await clients.unsuspend(caller.sites, path.id_or_email, caller.name);
      const data = clientView(await clients.detail(caller.sites, client.id));
      const message = 'The client was unsuspended.';
      return { status: 200, body: { success: 1, message, data, suspended: 0, sites_unsuspended: sites } };
    },
    sites_client: async ({ site }) => {
      const client = site.clientId === null ? null : await clients.brief(site.clientId);
      const data = client && clientBriefView(client);
      return { status: 200, body: { success: 1, data, site: siteReferenceView(site) } };
    },
  };
};
