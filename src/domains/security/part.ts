import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import { SecurityReadModel } from './security-read-model.ts';
import { securitySection } from './security-section.ts';

export const securityPart = ({ knex }: Platform) =>
  definePart({ name: 'security', own: { security: new SecurityReadModel(knex) }, sections: [securitySection] });

export type SecurityServices = OwnOf<typeof securityPart>;
