import type { Base } from '../../base.ts';
import { part, type Part } from '../../part.ts';
import { ChangeLog } from './change-log.ts';
import { ChangeReadModel } from './change-read-model.ts';
import { ChildLog } from './child-log.ts';
import type { ChangesServices } from './services.ts';

/** What was done to sites, by us and by others. */
export const changesPart = ({ database: { knex }, clock }: Base): Part<ChangesServices> =>
  part({
    name: 'changes',
    own: { changes: new ChangeReadModel(knex), changeLog: new ChangeLog(clock), childLog: new ChildLog(clock) },
  });
