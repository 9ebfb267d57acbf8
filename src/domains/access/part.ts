import type { BaseServices } from '../../platform/base-services.ts';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { ChangesServices } from '../changes/index.ts';
import { AccessService } from './access-service.ts';

export function accessPart({ database, sealing, clock }: BaseServices, { changes }: { changes: ChangesServices }) {
  const access = new AccessService(database, sealing, clock, changes.changeLog);
  return definePart({ name: 'access', own: { access }, stop: () => access.waitForWrites() });
}

export type AccessServices = OwnOf<typeof accessPart>;
