import type { AccessService } from './access-service.ts';

/** What other parts and the surfaces may ask of the access. */
export interface AccessServices {
  access: AccessService;
}
