import type { operations } from '../../../../generated/v2.ts';
import { SEGMENTS, type ReportService, type Segment } from '../../../domains/pro-reports/index.ts';
import type { KeyedSite } from '../../../domains/sites/index.ts';
import type { Answer } from '../../../http/operation.ts';
import type { Needs } from '../../../services.ts';
import type { HandlersOf } from '../handlers.ts';
import { siteReferenceView } from '../sites/view.ts';
import { csvOf } from './csv.ts';
import { rangeIn } from './input.ts';
import { segmentView } from './view.ts';

/** What is done on sites and how they fare, one segment at a time and several at once. */
export const routes = ({ proReports: { reports } }: Needs<'proReports'>): HandlersOf<'pro-reports'> => ({
  ...segmentRoutes(reports),
});

type Query = operations['pro_reports_pending']['parameters']['query'] & { action?: string };

/** Every segment is asked for alike; what it holds is a matter of its contract. */
function segmentRoutes(reports: ReportService): HandlersOf<'pro-reports'> {
  const handlerOf =
    (segment: Segment) =>
    async ({ site, query }: { site: KeyedSite; query: Query }): Promise<Answer> => {
      const { name } = segment;
      const request = { range: rangeIn(query, reports), ...(query.action && { action: query.action }) };
      if (query.format === 'csv') return { status: 200, ...csvOf(segment, reports.items(site.id, name, request)) };
      const report = await reports.segment(site.id, name, request);
      const data = segmentView(report, reports.tokens(report), request.range, query.format);
      return { status: 200, body: { success: 1, site: siteReferenceView(site), data } };
    };
  const handlers = SEGMENTS.map((segment) => [`pro_reports_${segment.name}`, handlerOf(segment)]);
  return Object.fromEntries(handlers) as HandlersOf<'pro-reports'>;
}
