import type { operations } from '../../../../generated/v2.ts';
import type { V2Parts } from '../../../../generated/parts.ts';
import {
  SEGMENTS,
  segmentOf,
  type ReportService,
  type Segment,
  type SegmentName,
} from '../../../domains/pro-reports/index.ts';
import type { KeyedSite } from '../../../domains/sites/index.ts';
import type { Answer } from '../../../http/operation.ts';
import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { siteReferenceView } from '../sites/view.ts';
import { csvOf } from './csv.ts';
import { rangeIn, segmentsIn, theOneOf } from './input.ts';
import { daysView, referenceView, segmentView, siteReportView } from './view.ts';

/** What was done on sites and how they fare, one segment at a time and several at once. */
export const routes = ({ proReports: { reports } }: Needs<'proReports'>): HandlersOf<'pro-reports'> => ({
  ...segmentRoutes(reports),
  pro_reports_get: async ({ site, query }) => {
    const range = rangeIn(query, reports);
    if (query.format === 'csv') {
      const name = theOneOf(query);
      return { status: 200, ...csvOf(segmentOf(name), reports.items(site.id, name, { range })) };
    }
    const report = await reports.site(site.id, { range, ...segmentsIn(query) });
    const data = { ...daysView(range), ...siteReportView(report, query.format, reports) };
    return { status: 200, body: { success: 1, site: siteReferenceView(site), data } };
  },
  pro_reports_clients: async ({ path, query }) => {
    const range = rangeIn(query, reports);
    const { client, sites, totals } = await reports.client(path.id_or_email, { range, ...segmentsIn(query) });
    const views = sites.map((report) => ({
      site: referenceView(report.site),
      ...siteReportView(report, query.format, reports),
    }));
    return { status: 200, body: { success: 1, client, data: { ...daysView(range), sites: views, totals } } };
  },
});

type SegmentOperation = Extract<V2Parts['pro-reports'], `pro_reports_${SegmentName}`>;
type Query = operations['pro_reports_plugins']['parameters']['query'];

/** Every segment is asked for alike; what it holds is a matter of its contract. */
function segmentRoutes(reports: ReportService): Pick<HandlersOf<'pro-reports'>, SegmentOperation> {
  const handlerOf =
    (segment: Segment) =>
    async ({ site, query }: { site: KeyedSite; query: Query }): Promise<Answer> => {
      const { name } = segment;
      const range = rangeIn(query, reports);
      const request = { range, ...(query.action && { action: query.action }) };
      if (query.format === 'csv') return { status: 200, ...csvOf(segment, reports.items(site.id, name, request)) };
      const report = await reports.segment(site.id, name, request);
      const data = segmentView(report, range, query.format, reports);
      return { status: 200, body: { success: 1, site: siteReferenceView(site), data } };
    };
  const handlers = SEGMENTS.map((segment) => [`pro_reports_${segment.name}`, handlerOf(segment)]);
  return Object.fromEntries(handlers) as Pick<HandlersOf<'pro-reports'>, SegmentOperation>;
}
