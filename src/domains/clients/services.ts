import type { ClientFieldService } from './client-field-service.ts';
import type { ClientService } from './client-service.ts';

/** What other parts and the surfaces may ask of the clients. */
export interface ClientsServices {
  clients: ClientService;
  clientFields: ClientFieldService;
}
