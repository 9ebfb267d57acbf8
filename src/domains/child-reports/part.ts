import { definePart, type OwnOf } from '../../platform/part.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SitesServices } from '../sites/index.ts';
import { ChildReports } from './child-reports.ts';

export const childReportsPart = ({ child, deadlines }: Platform, { sites: { calls } }: { sites: SitesServices }) =>
  definePart({
    name: 'child-reports',
    own: { childReports: new ChildReports({ child, calls, deadlineMs: deadlines.fanOutMs }) },
  });

export type ChildReportsServices = OwnOf<typeof childReportsPart>;
