import type { SecurityReadModel } from './security-read-model.ts';

export interface SecurityServices {
  security: SecurityReadModel;
}
