import type { ClientField, ClientFieldPatch } from '../../../domains/clients/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { clientFieldView } from './view.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';

const clientFieldResponse = (message: string, field: ClientField) => ({
  status: 200 as const,
  body: { success: 1 as const, message, data: clientFieldView(field) },
});

const clientFieldPatchOf = ({ description }: { description?: string | null }): ClientFieldPatch =>
  description === undefined ? {} : { description: description ?? '' };

export const clientFieldRoutes = ({ clients: { clientFields } }: RequiredServices<'clients'>, { base }: BaseAddress) =>
  ({
    clients_fields_list: async ({ query }) => {
      const { search, include, exclude } = query;
      const page = await clientFields.list(dropEmptyFilters({ search, include, exclude }), pageRequestOf(query));
      return pageResponse(page, clientFieldView, `${base}/clients/fields`, query);
    },
    clients_fields_add: async ({ body, caller }) => {
      const input = { ...clientFieldPatchOf(body), name: body.name };
      return clientFieldResponse('The client field was added.', await clientFields.create(input, caller.name));
    },
    clients_fields_edit: async ({ path, body, caller }) => {
      const patch = { ...clientFieldPatchOf(body), ...(body.name === undefined ? {} : { name: body.name }) };
      const field = await clientFields.update(path.id_or_name, patch, caller.name);
      return clientFieldResponse('The client field was saved.', field);
    },
    clients_fields_delete: async ({ path, caller }) =>
      clientFieldResponse('The client field was deleted.', await clientFields.delete(path.id_or_name, caller.name)),
  }) satisfies Partial<HandlersOf<'clients'>>;
