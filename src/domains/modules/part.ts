import type { BaseServices } from '../../platform/base-services.ts';
import { definePart, type OwnOf } from '../../platform/part.ts';
import type { ChangesServices } from '../changes/index.ts';
import { ModuleService } from './module-service.ts';

export const modulesPart = ({ database, clock }: BaseServices, { changes }: { changes: ChangesServices }) =>
  definePart({ name: 'modules', own: { modules: new ModuleService(database, clock, changes.changeLog) } });

export type ModulesServices = OwnOf<typeof modulesPart>;
