import type { components } from '../../../../generated/abilities.ts';
import type {
  ClientSitesAndFieldValues,
  ClientProfile,
  ClientFilter,
  ClientPatch,
  ClientStatus,
  NewClient,
} from '../../../domains/clients/index.ts';
import { CLIENT_FIELD_NAMES } from '../../client-profile-fields.ts';

type Schemas = components['schemas'];

export const fieldNames = CLIENT_FIELD_NAMES satisfies Partial<
  Record<keyof ClientProfile, keyof Schemas['AddClientInput']>
>;

export const newClientOf = (input: Schemas['AddClientInput']): NewClient => ({
  ...clientPatchOf(input),
  name: input.name,
});

export function clientPatchOf(input: Schemas['AddClientInput'] | Schemas['UpdateClientInput']): ClientPatch {
  const presentFields = Object.entries(fieldNames).map(([field, name]) => [field, input[name]] as const);
  return Object.fromEntries(presentFields.filter(([, value]) => value !== undefined));
}

export const toClientSites = ({ selected_sites }: { selected_sites?: number[] }): ClientSitesAndFieldValues =>
  selected_sites === undefined ? {} : { siteIds: selected_sites };

export function clientFilterOf(input: {
  status: ClientStatus | 'any';
  search?: string;
  include?: number[];
  exclude?: number[];
}): ClientFilter {
  return {
    ...(input.status === 'any' ? {} : { status: input.status }),
    ...(input.search ? { search: input.search } : {}),
    ...(input.include?.length ? { include: input.include } : {}),
    ...(input.exclude?.length ? { exclude: input.exclude } : {}),
  };
}
