import type { ClientField, ClientFieldPatch } from '../../../domains/clients/index.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { Door } from '../door.ts';
import type { HandlersOf } from '../handlers.ts';
import { clientFieldView } from './view.ts';
import { presentFields } from '../input.ts';
import { paged, pageRequestOf } from '../paging.ts';

const written = (message: string, field: ClientField) => ({
  status: 200 as const,
  body: { success: 1 as const, message, data: clientFieldView(field) },
});

/** Null clears the description. */
const describedIn = ({ description }: { description?: string | null }): ClientFieldPatch =>
  description === undefined ? {} : { description: description ?? '' };

/** Routes for the definitions of custom client fields. */
export const clientFieldRoutes = ({ clients: { clientFields } }: RequiredServices<'clients'>, { base }: Door) =>
  ({
    clients_fields_list: async ({ query }) => {
      const { search, include, exclude } = query;
      const page = await clientFields.list(presentFields({ search, include, exclude }), pageRequestOf(query));
      return paged(page, clientFieldView, `${base}/clients/fields`, query);
    },
    clients_fields_add: async ({ body, caller }) => {
      const input = { ...describedIn(body), name: body.name };
      return written('The client field was added.', await clientFields.create(input, caller.name));
    },
    clients_fields_edit: async ({ path, body, caller }) => {
      const patch = { ...describedIn(body), ...(body.name === undefined ? {} : { name: body.name }) };
      const field = await clientFields.update(path.id_or_name, patch, caller.name);
      return written('The client field was saved.', field);
    },
    clients_fields_delete: async ({ path, caller }) =>
      written('The client field was deleted.', await clientFields.delete(path.id_or_name, caller.name)),
  }) satisfies Partial<HandlersOf<'clients'>>;
