import type { ActivityReadModel } from './activity-read-model.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeReadModel } from './change-read-model.ts';
import type { ChildLog } from './child-log.ts';
import type { MonthlyReadModel } from './monthly-read-model.ts';

export interface ChangesServices {
  changes: ChangeReadModel;
  monthly: MonthlyReadModel;
  activity: ActivityReadModel;
  changeLog: ChangeLog;
  childLog: ChildLog;
}
