import type { ActivityReadModel } from './activity-read-model.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeReadModel } from './change-read-model.ts';
import type { ChildLog } from './child-log.ts';
import type { MonthlyReadModel } from './monthly-read-model.ts';

/** What other parts and the surfaces may ask of the changes. */
export interface ChangesServices {
  changes: ChangeReadModel;
  monthly: MonthlyReadModel;
  /** What reports draw on. */
  activity: ActivityReadModel;
  /** Takes down what we do. */
  changeLog: ChangeLog;
  /** Takes over what the children log. */
  childLog: ChildLog;
}
