import type { components } from '../../../../generated/v2.ts';
import type { User } from '../../../domains/access/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { toIso } from '../../../shared/clock.ts';
import type { BaseAddress } from '../base-address.ts';
import { siteLimitOf } from './input.ts';
import { siteLimitView } from './view.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageRequestOf, pageResponse } from '../paging.ts';

type UserHandlers = Pick<
  HandlersOf<'access'>,
  | 'service_users_list'
  | 'service_users_get'
  | 'service_users_add'
  | 'service_users_edit'
  | 'service_users_delete'
  | 'service_users_add_password'
  | 'service_users_revoke_passwords'
>;

type LimitBody = { limit?: components['schemas']['SiteLimitInput'] };

const userFieldsOf = <Body extends LimitBody>({ limit, ...fields }: Body) => ({
  ...fields,
  ...(limit === undefined ? {} : { siteLimit: siteLimitOf(limit) }),
});

const userView = ({ id, name, role, enabled, siteLimit, createdAt }: User): components['schemas']['ServiceUser'] => ({
  ...{ id, name, role, enabled, limit: siteLimitView(siteLimit), created_at: toIso(createdAt) },
});

const userResponse = (message: string, user: User) => {
  const data = userView(user);
  return { status: 200 as const, etag: etagOf(data), body: { success: 1 as const, message, data } };
};

export const userRoutes = (
  { access: { access } }: RequiredServices<'access'>,
  { base }: BaseAddress,
): UserHandlers => ({
  service_users_list: async ({ query }) =>
    pageResponse(await access.pageOfUsers(pageRequestOf(query)), userView, `${base}/rest-api/users`, query),
  service_users_get: async ({ path }) => {
    const data = userView(await access.getUser(path.service_user_id));
    return { status: 200, etag: etagOf(data), body: { success: 1, data } };
  },
  service_users_add: async ({ body, caller }) =>
    userResponse('The user was added.', await access.createUser(userFieldsOf(body), caller.name, caller)),
  service_users_edit: async ({ path, body, caller, ifMatch }) => {
    const change = { by: caller, precondition: precondition(ifMatch, userView) };
    return userResponse(
      'The user was saved.',
      await access.editUser(path.service_user_id, userFieldsOf(body), caller.name, change),
    );
  },
  service_users_delete: async ({ path, caller, ifMatch }) => {
    const change = { by: caller, precondition: precondition(ifMatch, userView) };
    return userResponse('The user was deleted.', await access.deleteUser(path.service_user_id, caller.name, change));
  },
  service_users_add_password: async ({ path, body, caller }) => {
    const { id, name } = await access.getUser(path.service_user_id);
    const { password } = await access.addPassword(id, body.description, caller.name, { by: caller });
    const data = { user_id: id, user: name, password };
    return { status: 200, body: { success: 1, message: 'The password was added. It is shown only once.', data } };
  },
  service_users_revoke_passwords: async ({ path, caller }) => {
    const revoked = await access.revokePasswords(path.service_user_id, caller.name, caller);
    return { status: 200, body: { success: 1, message: 'The passwords were revoked.', revoked } };
  },
});
