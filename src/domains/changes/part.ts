import { part } from '../../part.ts';
import type { Platform } from '../../platform.ts';
import { ChangeReadModel } from './change-read-model.ts';
import { ChildLog } from './child-log.ts';

/** What was done to sites, by us and by others. */
export const changesPart = ({ knex, clock }: Platform) =>
  part({ name: 'changes', own: { changes: new ChangeReadModel(knex), childLog: new ChildLog(clock) } });
