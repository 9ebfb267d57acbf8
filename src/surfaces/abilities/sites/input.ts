import type { components } from '../../../../generated/abilities.ts';
import type {
  AddSiteInput,
  ReconnectCredentials,
  SiteFilter,
  SitePatch,
  SiteStatus,
} from '../../../domains/sites/index.ts';

type Schemas = components['schemas'];

export function siteFilterOf(input: {
  status: SiteStatus | 'any' | 'available_update';
  search?: string;
  client_id?: number;
  tag_id?: number;
  tag_ids?: number[];
}): SiteFilter {
  const tagIds = input.tag_id === undefined ? input.tag_ids : [input.tag_id];
  return {
    ...(input.status === 'any'
      ? {}
      : input.status === 'available_update'
        ? { hasUpdates: true }
        : { status: input.status }),
    ...(input.search ? { search: input.search } : {}),
    ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
    ...(tagIds?.length ? { tagIds } : {}),
  };
}

export function addSiteOf(input: Schemas['AddSiteInput']): AddSiteInput {
  return {
    url: input.url,
    admin: input.admin,
    clientId: input.client_id ?? null,
    tagIds: input.tags ?? [],
    httpUser: input.http_user ?? null,
    httpPass: input.http_pass ?? null,
    sslVerify: input.ssl_verify,
    password: input.admin_password || null,
    uniqueId: input.unique_id || null,
    allowSecondAddress: input.allow_second_address,
    ...(input.name === undefined ? {} : { name: input.name }),
  };
}

export const toReconnectCredentials = (input: {
  admin_username?: string;
  admin_password?: string;
}): ReconnectCredentials => ({
  adminUsername: input.admin_username ?? null,
  adminPassword: input.admin_password ?? null,
});

export function sitePatchOf(input: Schemas['UpdateSiteInput']): SitePatch {
  return {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.notes === undefined ? {} : { notes: input.notes }),
    ...(input.client_id === undefined ? {} : { clientId: input.client_id }),
    ...(input.tags === undefined ? {} : { tagIds: input.tags }),
  };
}
