import type { components } from '../../../../generated/v2.ts';
import {
  callerKeyId,
  type AccessService,
  type ApiKey,
  type KeyPatch,
  type Scope,
} from '../../../domains/access/index.ts';
import { etagOf, precondition } from '../../../http/etags.ts';
import type { Caller } from '../../../shared/caller.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { BaseAddress } from '../base-address.ts';
import type { HandlersOf } from '../handlers.ts';
import { parseList } from '../query-helpers.ts';
import { keyEtagContent, keyView } from './view.ts';
import { pageResponse, pageRequestOf } from '../paging.ts';

type Body = components['schemas']['ApiKeyAdd'] | components['schemas']['ApiKeyEdit'];

export const fieldNames = { label: 'description' };

const keyResponse = (message: string, key: ApiKey) => {
  const data = keyView(key);
  return { status: 200 as const, etag: etagOf(keyEtagContent(key)), body: { success: 1 as const, message, data } };
};

export const routes = (
  { access: { access } }: RequiredServices<'access'>,
  { base }: BaseAddress,
): HandlersOf<'access'> => ({
  keys_list: async ({ query }) =>
    pageResponse(await access.listKeys(pageRequestOf(query)), keyView, `${base}/rest-api/keys`, query),
  keys_get: async ({ path }) => {
    const key = await access.getKey(path.key_id);
    return { status: 200, etag: etagOf(keyEtagContent(key)), body: { success: 1, data: keyView(key) } };
  },
  keys_add: async ({ body, caller }) => {
    const wanted = {
      userId: await resolveKeyOwner(access, body.user, caller),
      label: body.description,
      scope: readScope(body) ?? throwFieldError('permissions', 'or scope must be set'),
      enabled: body.active,
      expiresAt: parseTime(body.expires_at),
    };
    const { key, secret } = await access.createKey(wanted, caller.name, { by: caller });
    const data = { ...keyView(key), token: secret };
    return { status: 200, body: { success: 1, message: 'The API key was added. It is shown only once.', data } };
  },
  keys_edit: async ({ path, body, caller, ifMatch }) => {
    const change = { ...changeContextOf(caller), precondition: precondition(ifMatch, keyEtagContent) };
    return keyResponse(
      'The API key was saved.',
      await access.editKey(path.key_id, keyPatchOf(body), caller.name, change),
    );
  },
  keys_delete: async ({ path, caller, ifMatch }) => {
    const change = { ...changeContextOf(caller), precondition: precondition(ifMatch, keyEtagContent) };
    return keyResponse('The API key was deleted.', await access.deleteKey(path.key_id, caller.name, change));
  },
});

/**
 * Returns the context of a change of a key. A caller with an application password can create a new key, so that caller
 * may change or delete the last key.
 */
const changeContextOf = (caller: Caller) => ({ by: caller, force: callerKeyId(caller) === null });

function keyPatchOf(body: components['schemas']['ApiKeyEdit']): KeyPatch {
  const scope = readScope(body);
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(body.description === undefined ? {} : { label: body.description }),
    ...(body.active === undefined ? {} : { enabled: body.active }),
    ...(body.expires_at === undefined ? {} : { expiresAt: parseTime(body.expires_at) }),
  };
}

function readScope({ permissions, scope }: Body): Scope | undefined {
  if (permissions === undefined) return scope;
  const names = new Set(parseList(permissions));
  const said: Scope = names.size === 2 ? 'read_write' : names.has('read') ? 'read' : 'write';
  if (scope !== undefined && scope !== said) throwFieldError('permissions', 'must match scope');
  return said;
}

const parseTime = (text: string | null): number | null => (text === null ? null : Date.parse(text));

async function resolveKeyOwner(
  access: AccessService,
  user: number | string | undefined,
  caller: Caller,
): Promise<number> {
  if (user === undefined) return caller.userId;
  return typeof user === 'number' ? user : (await access.userNamed(user)).id;
}
