export {
  OPTIONAL_CLIENT_FIELDS,
  type Client,
  type ClientSitesAndFieldValues,
  type ClientBrief,
  type ClientDetail,
  type OptionalClientFields,
  type ClientProfile,
  type ClientFilter,
  type ClientPatch,
  type ClientRef,
  type ClientStatus,
  type ListedClient,
  type NewClient,
  type ClientWithTaggedSiteCount,
} from './client.ts';
export type { ClientField, ClientFieldPatch } from './client-field.ts';
export { ClientService } from './client-service.ts';
export type { ClientsServices } from './part.ts';
export { countClientsWithTemplate } from './client-repository.ts';
