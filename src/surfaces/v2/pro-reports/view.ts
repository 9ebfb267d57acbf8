import type { components } from '../../../../generated/v2.ts';
import type {
  ReportedSite,
  ReportRange,
  ReportService,
  SegmentReport,
  SiteReport,
} from '../../../domains/pro-reports/index.ts';

type Schemas = components['schemas'];
type Format = 'normal' | 'tokens';

export const dateRangeView = ({ startDate, endDate }: ReportRange): { start_date: string; end_date: string } => ({
  start_date: startDate,
  end_date: endDate,
});

export function segmentView(report: SegmentReport, range: ReportRange, format: Format, reports: ReportService): object {
  const { sections, others } = reports.tokens(report);
  const tokens = { sections_data: sections, other_tokens_data: others };
  if (format === 'tokens') return tokens;
  const { segment, source, total, items, counts, summary } = report;
  return { segment, source, ...dateRangeView(range), total, items, counts, summary, ...tokens };
}

export const siteReportView = (
  { segments, errors, range }: SiteReport,
  format: Format,
  reports: ReportService,
): Pick<Schemas['SiteReport'], 'segments' | 'errors'> => ({
  segments: Object.fromEntries(segments.map((report) => [report.segment, segmentView(report, range, format, reports)])),
  errors: errors.map(({ segment, code, message }) => ({ segment, code: code as Schemas['ErrorCode'], message })),
});

export const reportedSiteView = ({ id, url, name, clientId }: ReportedSite): Schemas['SiteReference'] => ({
  ...{ id, url, name },
  client_id: clientId,
});
