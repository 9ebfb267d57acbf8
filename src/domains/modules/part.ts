import type { Base } from '../../base.ts';
import { part } from '../../part.ts';
import type { ChangesServices } from '../changes/index.ts';
import { ModuleService } from './module-service.ts';

export const modulesPart = ({ database, clock }: Base, { changes }: { changes: ChangesServices }) =>
  part({ name: 'modules', own: { modules: new ModuleService(database, clock, changes.changeLog) } });
