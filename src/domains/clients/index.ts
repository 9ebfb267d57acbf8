export {
  CLIENT_STATUSES,
  type Client,
  type ClientBrief,
  type ClientFields,
  type ClientRef,
  type ClientStatus,
  type NewClient,
} from './client.ts';
export { ClientReadModel } from './client-read-model.ts';
export { ClientService, type ClientServiceParts } from './client-service.ts';
