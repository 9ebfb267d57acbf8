import type { components } from '../../../../generated/v2.ts';
import {
  SEGMENT_NAMES,
  segmentByName,
  type ReportRange,
  type ReportReader,
  type ReportSubject,
  type SegmentName,
} from '../../../domains/pro-reports/index.ts';
import type { Caller } from '../../../shared/caller.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';

type SegmentOrAll = components['schemas']['ReportSegment'] | 'all';

export const reportRangeOf = (
  { sites }: Caller,
  { start_date: startDate, end_date: endDate }: { start_date: string; end_date: string },
  about: ReportSubject,
  reports: ReportReader,
): Promise<ReportRange> => reports.range(sites, { startDate, endDate }, about);

export const segmentSelectionOf = ({
  segments,
}: {
  segments?: SegmentOrAll[];
}): { segments?: readonly SegmentName[] } =>
  segments === undefined || segments.length === 0
    ? {}
    : { segments: SEGMENT_NAMES.filter((name) => segments.includes('all') || segments.includes(name)) };

/**
 * Returns the only segment of a CSV report, because the segments have different columns. Throws `InvalidError` for
 * several segments and for a segment that is read from the site. Such a segment can fail as a whole, and only its own
 * route reports that.
 */
export function singleSegmentOf({ segments }: { segments?: SegmentOrAll[] }): SegmentName {
  const [name] = segments ?? [];
  if (name === undefined || name === 'all' || segments?.length !== 1)
    throwFieldError('segments', 'must name one segment for this format');
  if (segmentByName(name).asksSite)
    throwFieldError('segments', 'must not be a segment that is read from the site; use the route of that segment');
  return name;
}
