import { type SiteScope } from '../../../shared/site-scope.ts';
import type { components } from '../../../../generated/v2.ts';
import type { DomainState, ManualPatch, ProfileFilter } from '../../../domains/domain-monitor/index.ts';
import { dropEmptyFilters, undefinedIfAny } from '../query-helpers.ts';

interface ProfilesQuery {
  status: DomainState | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}

export const profileFilterOf = (
  scope: SiteScope,
  { status, search, include, exclude }: ProfilesQuery,
): ProfileFilter => ({ scope, ...dropEmptyFilters({ status: undefinedIfAny(status), search, include, exclude }) });

export const fieldNames = {
  domainName: 'domain_name',
  registrarUrl: 'registrar_url',
  createdAt: 'creation_date',
  updatedAt: 'updated_date',
  expiresAt: 'expiry_date',
  nameServers: 'name_servers',
} as const;

export function manualPatchOf(body: components['schemas']['ManualDomainEdit']): ManualPatch {
  const patch: ManualPatch = {
    domainName: body.domain_name,
    registrar: body.registrar,
    registrarUrl: body.registrar_url,
    createdAt: body.creation_date,
    updatedAt: body.updated_date,
    expiresAt: body.expiry_date,
    statuses: body.domain_status,
    nameServers: body.name_servers,
    dnssec: body.dnssec,
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
