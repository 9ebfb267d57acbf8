export type { Change } from '../../shared/change.ts';
export { ChangeLog } from './change-log.ts';
export {
  ChangeReadModel,
  type ChangeFilter,
  type ChangeWithSite,
  type FleetChangeFilter,
} from './change-read-model.ts';
export type { LoggedChange } from './logged-change.ts';
export { ActivityReadModel, type ActivityRange, type ChangeTypeCount } from './activity-read-model.ts';
export { ACTIVITY_CHANGE_TYPES, type ActivitySegment } from './activity-change-types.ts';
export type { MonthlyCount } from './change-count-repository.ts';
export { formatMonth } from './utc-months.ts';
export type { ChangeSource } from './change-repository.ts';
export type { ChangesServices } from './part.ts';
export { ChildLogStore } from './child-log-store.ts';
export { recentItemsSection } from './recent-items-section.ts';
