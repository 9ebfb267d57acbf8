export {
  CLIENT_EXTRAS,
  type Client,
  type ClientBelongings,
  type ClientBrief,
  type ClientDetail,
  type ClientExtras,
  type ClientFields,
  type ClientFilter,
  type ClientPatch,
  type ClientRef,
  type ClientStatus,
  type ListedClient,
  type NewClient,
  type TaggedClient,
} from './client.ts';
export type { ClientField, ClientFieldPatch } from './client-field.ts';
export { ClientService } from './client-service.ts';
export type { ClientsServices } from './part.ts';
