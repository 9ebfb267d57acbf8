import type { components } from '../../../../generated/v2.ts';
import type { RoleWithUsers } from '../../../domains/access/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageOfList, pageRequestOf, pageResponse } from '../paging.ts';

type RoleHandlers = Pick<
  HandlersOf<'access'>,
  'roles_list' | 'roles_get' | 'roles_add' | 'roles_edit' | 'roles_delete'
>;

const roleView = ({ id, name, description, permissions, users }: RoleWithUsers): components['schemas']['Role'] => ({
  ...{ name, description, permissions, built_in: id === null, users },
});

const roleResponse = (message: string, role: RoleWithUsers) => {
  const data = roleView(role);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

export const roleRoutes = ({ access: { roles } }: RequiredServices<'access'>, { base }: BaseAddress): RoleHandlers => ({
  roles_list: async ({ query }) =>
    pageResponse(pageOfList(await roles.list(), pageRequestOf(query)), roleView, `${base}/rest-api/roles`, query),
  roles_get: async ({ path }) => {
    const data = roleView(await roles.get(path.role_name));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  roles_add: async ({ body, caller }) => roleResponse('The role was added.', await roles.create(body, { by: caller })),
  roles_edit: async ({ path, body, caller, ifMatch }) => {
    const change = { by: caller, precondition: precondition(ifMatch, roleView) };
    return roleResponse('The role was saved.', await roles.update(path.role_name, body, change));
  },
  roles_delete: async ({ path, caller, ifMatch }) => {
    const change = { by: caller, precondition: precondition(ifMatch, roleView) };
    return roleResponse('The role was deleted.', await roles.delete(path.role_name, change));
  },
});
