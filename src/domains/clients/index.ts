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
export type {
  ClientField,
  ClientFieldFilter,
  ClientFieldPatch,
  ClientFieldRef,
  NewClientField,
} from './client-field.ts';
export type { ClientFieldServiceParts } from './client-field-service.ts';
export { ClientService, type ClientCascade, type ClientServiceParts } from './client-service.ts';
export type { ClientsServices } from './services.ts';
