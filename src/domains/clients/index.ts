export {
  CLIENT_STATUSES,
  type Client,
  type ClientBrief,
  type ClientFields,
  type ClientFilter,
  type ClientPatch,
  type ClientRef,
  type ClientStatus,
  type ListedClient,
  type NewClient,
  type TaggedClient,
} from './client.ts';
export { ClientReadModel } from './client-read-model.ts';
export { ClientService, type ClientCascade, type ClientServiceParts } from './client-service.ts';
