import type { Base } from '../../platform/base.ts';
import { part, type OwnOf } from '../../platform/part.ts';
import type { ChangesServices } from '../changes/index.ts';
import { ModuleService } from './module-service.ts';

export const modulesPart = ({ database, clock }: Base, { changes }: { changes: ChangesServices }) =>
  part({ name: 'modules', own: { modules: new ModuleService(database, clock, changes.changeLog) } });

export type ModulesServices = OwnOf<typeof modulesPart>;
