export type { Change } from '../../shared/change.ts';
export { ChangeLog } from './change-log.ts';
export {
  ChangeReadModel,
  type ChangeFilter,
  type ChangeOrder,
  type FleetChange,
  type FleetChangeFilter,
} from './change-read-model.ts';
export type { LoggedChange } from './logged-change.ts';
export { ActivityReadModel, type ActivityRange, type DayCount, type TypeCount } from './activity-read-model.ts';
export { ACTIVITY, type ActivitySegment } from './activity.ts';
export type { MonthlyCount } from './change-count-repository.ts';
export { monthName } from './month.ts';
export { MonthlyReadModel } from './monthly-read-model.ts';
export type { ChangeSource } from './change-repository.ts';
export type { ChangesServices } from './services.ts';
export { ChildLog } from './child-log.ts';
