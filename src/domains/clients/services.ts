import type { ClientFieldService } from './client-field-service.ts';
import type { ClientService } from './client-service.ts';

export interface ClientsServices {
  clients: ClientService;
  clientFields: ClientFieldService;
}
