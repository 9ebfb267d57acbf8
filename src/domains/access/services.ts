import type { AccessService } from './access-service.ts';

export interface AccessServices {
  access: AccessService;
}
