import type { components } from '../../../../generated/v2.ts';
import type {
  ReportedSite,
  ReportRange,
  ReportReader,
  SegmentOfSite,
  SiteReport,
} from '../../../domains/pro-reports/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];
type SegmentDataFormat = 'normal' | 'tokens';

export const reportTimesView = ({ range, madeAt }: { range: ReportRange; madeAt: number }) => ({
  start_date: range.startDate,
  end_date: range.endDate,
  time_zone: range.zone,
  made_at: toIso(madeAt),
});

export function segmentView(content: SegmentOfSite, format: SegmentDataFormat, reports: ReportReader): object {
  const { segment: report } = content;
  const { sections, others } = reports.tokens(content);
  const tokens = { sections_data: sections, other_tokens_data: others };
  if (format === 'tokens') return tokens;
  const { segment, source, total, items, counts, summary } = report;
  return { segment, source, ...reportTimesView(content), total, items, counts, summary, ...tokens };
}

export const siteReportView = (
  { segments, errors, ...rest }: SiteReport,
  format: SegmentDataFormat,
  reports: ReportReader,
): Pick<Schemas['SiteReport'], 'known_since' | 'segments' | 'errors'> => ({
  known_since: toIso(rest.site.knownSince),
  segments: Object.fromEntries(
    segments.map((report) => [report.segment, segmentView({ ...rest, segment: report }, format, reports)]),
  ),
  errors: errors.map(({ segment, code, message }) => ({ segment, code: code as Schemas['ErrorCode'], message })),
});

export const reportedSiteView = ({ id, url, name, clientId }: ReportedSite): Schemas['SiteReference'] => ({
  ...{ id, url, name },
  client_id: clientId,
});
