import type { ChildReports } from './child-reports.ts';

/** What other parts may ask of what plugins of the sites recorded. */
export interface ChildReportsServices {
  childReports: ChildReports;
}
