import type { components } from '../../../../generated/v2.ts';
import type { ApiKey, KeyPatch, Scope } from '../../../domains/access/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { Caller } from '../../../shared/caller.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { parseList } from '../query-helpers.ts';
import { DAY } from '../../../shared/clock.ts';
import { keyEtagContent, keyView, meView, usageDayView } from './view.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';
import { siteLimitOf } from './input.ts';
import { roleRoutes } from './role-routes.ts';
import { userRoutes } from './user-routes.ts';

type Body = components['schemas']['ApiKeyAdd'] | components['schemas']['ApiKeyEdit'];

/** Time for which the old token of a rotated key still works, if the request has no body. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

export const fieldNames = { label: 'description', siteLimit: 'limit' };

const keyResponse = (message: string, key: ApiKey) => {
  const data = keyView(key);
  return { status: 200 as const, etag: etagOf(keyEtagContent(key)), body: { success: 1 as const, message, data } };
};

export const routes = (needs: RequiredServices<'access'>, context: BaseAddress): HandlersOf<'access'> => {
  const { access, keyUsage } = needs.access;
  const { base } = context;
  return {
    ...roleRoutes(needs, context),
    ...userRoutes(needs, context),
    keys_list: async ({ query, caller }) =>
      pageResponse(await access.keys.list(pageRequestOf(query), caller), keyView, `${base}/rest-api/keys`, query),
    keys_get: async ({ path, caller }) => {
      const key = await access.keys.get(path.key_id, caller);
      return { status: 200, etag: etagOf(keyEtagContent(key)), body: { success: 1, data: keyView(key) } };
    },
    keys_add: async ({ body, caller }) => {
      const wanted = {
        userId: await access.keys.ownerOfNew(body.user, caller),
        label: body.description,
        scope: readScope(body) ?? throwFieldError('permissions', 'or scope must be set'),
        enabled: body.active,
        expiresAt: parseTime(body.expires_at),
        ...limitsOf(body),
      };
      const { key, secret } = await access.keys.create(wanted, caller.name, { by: caller });
      const data = { ...keyView(key), token: secret };
      return { status: 200, body: { success: 1, message: 'The API key was added. It is shown only once.', data } };
    },
    keys_edit: async ({ path, body, caller, ifMatch }) => {
      const change = { ...changeContextOf(caller), precondition: precondition(ifMatch, keyEtagContent) };
      return keyResponse(
        'The API key was saved.',
        await access.keys.edit(path.key_id, keyPatchOf(body), caller.name, change),
      );
    },
    keys_rotate: async ({ path, body, caller }) => {
      const overlap = body?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
      const { key, secret } = await access.keys.rotate(path.key_id, overlap, caller.name, { by: caller });
      const data = { ...keyView(key), token: secret };
      const message = 'The API key was rotated. The new token is shown only once.';
      return { status: 200, body: { success: 1, message, data } };
    },
    keys_usage: async ({ path, query, caller }) => {
      const { id } = await access.keys.get(path.key_id, caller);
      const filter = { from: dayNumber(query.from), to: dayNumber(query.to) };
      const page = await keyUsage.days(id, filter, pageRequestOf(query));
      return pageResponse(page, usageDayView, `${base}/rest-api/keys/${id}/usage`, query);
    },
    me_get: async ({ caller, rateLimit }) => {
      const data = meView(caller, await access.credentialOf(caller), rateLimit);
      return { status: 200, body: { success: 1, data } };
    },
    keys_delete: async ({ path, caller, ifMatch }) => {
      const change = { ...changeContextOf(caller), precondition: precondition(ifMatch, keyEtagContent) };
      return keyResponse('The API key was deleted.', await access.keys.delete(path.key_id, caller.name, change));
    },
  };
};

/**
 * Returns the context of a change of a key. `force` allows disabling or deleting the last working API key of the
 * service. A caller with an application password may do that, because this caller can create a new key.
 */
const changeContextOf = (caller: Caller) => ({ by: caller, force: caller.keyId === null });

function keyPatchOf(body: components['schemas']['ApiKeyEdit']): KeyPatch {
  const scope = readScope(body);
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(body.description === undefined ? {} : { label: body.description }),
    ...(body.active === undefined ? {} : { enabled: body.active }),
    ...(body.expires_at === undefined ? {} : { expiresAt: parseTime(body.expires_at) }),
    ...limitsOf(body),
  };
}

const limitsOf = ({ allowed_addresses: allowedAddresses, rate_limit: rateLimit, limit }: Body) => ({
  ...(limit === undefined ? {} : { siteLimit: siteLimitOf(limit) }),
  ...(allowedAddresses === undefined ? {} : { allowedAddresses }),
  ...(rateLimit === undefined ? {} : { rateLimit }),
});

function readScope({ permissions, scope }: Body): Scope | undefined {
  if (permissions === undefined) return scope;
  const names = new Set(parseList(permissions));
  const said: Scope = names.size === 2 ? 'read_write' : names.has('read') ? 'read' : 'write';
  if (scope !== undefined && scope !== said) throwFieldError('permissions', 'must match scope');
  return said;
}

const dayNumber = (date: string | undefined): number | null => (date === undefined ? null : Date.parse(date) / DAY);

const parseTime = (text: string | null): number | null => (text === null ? null : Date.parse(text));
