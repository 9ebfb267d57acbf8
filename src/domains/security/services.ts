import type { SecurityReadModel } from './security-read-model.ts';

/** What other parts and the surfaces may ask of the security. */
export interface SecurityServices {
  security: SecurityReadModel;
}
