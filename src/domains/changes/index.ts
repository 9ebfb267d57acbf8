export { ChangeLog, type Change, type ChangedThing } from './change-log.ts';
export { ChangeReadModel, type ChangeFilter, type ChangeOrder, type LoggedChange } from './change-read-model.ts';
export type { MonthlyCount } from './change-count-repository.ts';
export { monthName } from './month.ts';
export { MonthlyReadModel } from './monthly-read-model.ts';
export type { ChangeSource } from './change-repository.ts';
export type { ChangesServices } from './services.ts';
export { ChildLog } from './child-log.ts';
