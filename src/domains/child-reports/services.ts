import type { ChildReports } from './child-reports.ts';

export interface ChildReportsServices {
  childReports: ChildReports;
}
