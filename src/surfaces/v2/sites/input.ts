import type { components } from '../../../../generated/v2.ts';
import type { IgnorableType } from '../../../domains/updates/index.ts';
import type {
  AddSiteInput,
  ReconnectCredentials,
  SiteFilter,
  SitePatch,
  SiteStatus,
} from '../../../domains/sites/index.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import { splitList } from '../../../shared/text.ts';
import { dropEmptyFilters } from '../query-helpers.ts';

type Schemas = components['schemas'];

interface SitesQuery {
  status: SiteStatus | 'any' | 'available_update' | 'guard_left';
  search?: string;
  include?: number[];
  exclude?: number[];
  client_id?: number;
  tag_id?: number;
}

export function siteFilterOf({ status, search, include, exclude, client_id, tag_id }: SitesQuery): SiteFilter {
  return {
    ...dropEmptyFilters({ search, include, exclude, clientId: client_id }),
    ...statusFilterOf(status),
    ...(tag_id === undefined ? {} : { tagIds: [tag_id] }),
  };
}

function statusFilterOf(status: SitesQuery['status']): SiteFilter {
  if (status === 'any') return {};
  if (status === 'available_update') return { hasUpdates: true };
  return status === 'guard_left' ? { hasGuardLeft: true } : { status };
}

export const addSiteOf = (body: Schemas['SiteAdd']): AddSiteInput => ({
  url: body.url,
  admin: body.admin,
  clientId: body.client_id ?? null,
  tagIds: parseTagIds(body.groupids ?? []),
  httpUser: body.http_user ?? null,
  httpPass: body.http_pass ?? null,
  sslVerify: body.ssl_verify ?? null,
  password: body.adminpassword || null,
  uniqueId: body.uniqueid || null,
  allowSecondAddress: body.allow_second_address,
  ...(body.name === undefined ? {} : { name: body.name }),
});

export const toReconnectCredentials = (body: Schemas['SiteCredentials'] | undefined): ReconnectCredentials => ({
  adminUsername: body?.admin_username ?? null,
  adminPassword: body?.admin_password ?? null,
});

export const sitePatchOf = (body: Schemas['SiteEdit']): SitePatch => {
  const { name, notes, client_id, groupids, adminname, uniqueid, http_user, http_pass, ssl_verify, suspended } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(notes === undefined ? {} : { notes: notes ?? '' }),
    ...(client_id === undefined ? {} : { clientId: client_id }),
    ...(groupids === undefined ? {} : { tagIds: parseTagIds(groupids) }),
    ...(adminname === undefined ? {} : { adminUsername: adminname }),
    ...(uniqueid === undefined ? {} : { uniqueId: uniqueid }),
    ...(http_user === undefined ? {} : { httpUser: http_user }),
    ...(http_pass === undefined ? {} : { httpPass: http_pass }),
    ...(ssl_verify === undefined ? {} : { sslVerify: ssl_verify }),
    ...(suspended === undefined ? {} : { suspended: suspended === 1 }),
  };
};

export const toIgnoredUpdateTypes = (body: Schemas['SiteEdit']): { type: IgnorableType; ignored: boolean }[] =>
  (['core', 'plugin', 'theme'] as const).flatMap((type) => {
    const value = body[`ignore_${type}_updates`];
    return value === undefined ? [] : [{ type, ignored: value === 1 }];
  });

const parseTagIds = (ids: Schemas['TagIdList']): number[] =>
  typeof ids === 'string' ? splitList(ids).map(Number) : ids;

const MAX_SLUG = 255;
const MAX_SLUGS = 500;

/**
 * Returns the slugs. Throws `InvalidError` if a text with commas has too many slugs or a slug that is too long. For
 * arrays, the contract has these limits.
 */
export function parseSlugs({ slug }: Schemas['ItemSlugsBody']): string[] {
  if (typeof slug !== 'string') return slug;
  const slugs = splitList(slug);
  const wrong =
    slugs.length > MAX_SLUGS
      ? `must contain at most ${MAX_SLUGS} slugs`
      : slugs.some((each) => each.length > MAX_SLUG)
        ? `must contain slugs of at most ${MAX_SLUG} characters`
        : null;
  if (wrong !== null) throwFieldError('slug', wrong);
  return slugs;
}

export const mergeSelections = (
  query: { include?: number[]; exclude?: number[] },
  body: Pick<Schemas['FleetSelection'], 'include' | 'exclude'> | undefined,
): { include: number[]; exclude: number[] } => ({
  include: [...(query.include ?? []), ...(body?.include ?? [])],
  exclude: [...(query.exclude ?? []), ...(body?.exclude ?? [])],
});
