import type { components } from '../../../generated/abilities.ts';
import type { AddSite, SiteFilter, SitePatch, SiteStatus } from '../../domains/sites/index.ts';
import { InvalidError } from '../../shared/errors.ts';

type Schemas = components['schemas'];

/** `any` is no filter. */
export function filterOf(input: {
  status: SiteStatus | 'any';
  search?: string;
  client_id?: number;
  tag_id?: number;
  tag_ids?: number[];
}): SiteFilter {
  const tagIds = input.tag_id === undefined ? input.tag_ids : [input.tag_id];
  return {
    ...(input.status === 'any' ? {} : { status: input.status }),
    ...(input.search ? { search: input.search } : {}),
    ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
    ...(tagIds?.length ? { tagIds } : {}),
  };
}

export function addSiteOf(input: Schemas['AddSiteInput']): AddSite {
  const { http_user: user, http_pass: pass } = input;
  if (Boolean(user) !== Boolean(pass)) {
    const message = 'must be sent together with the other of http_user and http_pass';
    throw new InvalidError('ability_invalid_input', `http_user and http_pass belong together.`, {
      errors: [{ path: user ? 'input.http_pass' : 'input.http_user', message }],
    });
  }
  return {
    url: input.url,
    admin: input.admin,
    clientId: input.client_id ?? null,
    tagIds: input.tags ?? [],
    httpAuth: user && pass ? { user, pass } : null,
    // True follows the setting of the fleet, which is to verify.
    sslVerify: input.ssl_verify ? null : false,
    password: input.admin_password ?? null,
    uniqueId: input.unique_id ?? null,
    ...(input.name === undefined ? {} : { name: input.name }),
  };
}

export function sitePatchOf(input: Schemas['UpdateSiteInput']): SitePatch {
  return {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
    ...(input.tags === undefined ? {} : { tagIds: input.tags }),
  };
}
