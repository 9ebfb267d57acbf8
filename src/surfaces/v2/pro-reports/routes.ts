import type { operations } from '../../../../generated/v2.ts';
import type { V2Parts } from '../../../../generated/parts.ts';
import {
  SEGMENTS,
  segmentByName,
  type ReportReader,
  type Segment,
  type SegmentName,
  type SegmentOfSite,
} from '../../../domains/pro-reports/index.ts';
import type { ReportPagesServices } from '../../../domains/report-pages/index.ts';
import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import type { Caller } from '../../../shared/caller.ts';
import { endLongTurn } from '../../../shared/event-loop.ts';
import type { HandlerResponse } from '../../../http/operation-types.ts';
import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { siteReferenceView } from '../sites/view.ts';
import { segmentCsv } from './csv.ts';
import { renderFileResponse, isFileFormat } from './report-files.ts';
import { reportRangeOf, segmentSelectionOf, singleSegmentOf } from './input.ts';
import { reportedSiteView, reportTimesView, segmentView, siteReportView } from './view.ts';

export const routes = ({
  proReports: { reports },
  reportPages: pages,
}: RequiredServices<'proReports' | 'reportPages'>): HandlersOf<'pro-reports'> => ({
  ...segmentRoutes(reports, pages),
  pro_reports_get: async ({ caller, site, query, disconnectSignal }) => {
    const range = await reportRangeOf(caller, query, { siteId: site.id }, reports);
    const about = { siteId: site.id };
    if (isFileFormat(query.format))
      return renderFileResponse(
        pages.reportPages,
        query.format,
        () =>
          pages.reportReader.read({ scope: caller.sites, about, range, ...segmentSelectionOf(query), choice: query }),
        disconnectSignal,
      );
    if (query.format === 'csv') {
      const name = singleSegmentOf(query);
      return { status: 200, ...segmentCsv(segmentByName(name), await reports.items(site.id, name, { range })) };
    }
    const report = await reports.site(site.id, { range, ...segmentSelectionOf(query) });
    const data = { ...reportTimesView(report), ...siteReportView(report, query.format, reports) };
    return { status: 200, body: { success: 1, site: siteReferenceView(site), data } };
  },
  pro_reports_clients: async ({ caller, path, query, disconnectSignal }) => {
    const range = await reportRangeOf(caller, query, { client: path.id_or_email }, reports);
    const about = { client: path.id_or_email };
    const { format } = query;
    if (isFileFormat(format))
      return renderFileResponse(
        pages.reportPages,
        format,
        () =>
          pages.reportReader.read({ scope: caller.sites, about, range, ...segmentSelectionOf(query), choice: query }),
        disconnectSignal,
      );
    const report = await reports.client(caller.sites, path.id_or_email, { range, ...segmentSelectionOf(query) });
    const { client, sites, totals } = report;
    const views: SiteReportWithSite[] = [];
    for (const report of sites) {
      await endLongTurn();
      views.push({ site: reportedSiteView(report.site), ...siteReportView(report, format, reports) });
    }
    return { status: 200, body: { success: 1, client, data: { ...reportTimesView(report), sites: views, totals } } };
  },
});

type SiteReportWithSite = ReturnType<typeof siteReportView> & { site: ReturnType<typeof reportedSiteView> };
type SegmentOperation = Extract<V2Parts['pro-reports'], `pro_reports_${SegmentName}`>;
type Query = operations['pro_reports_plugins']['parameters']['query'];

function segmentRoutes(
  reports: ReportReader,
  { reportPages, reportReader }: ReportPagesServices,
): Pick<HandlersOf<'pro-reports'>, SegmentOperation> {
  const segmentHandler =
    (segment: Segment) =>
    async ({
      caller,
      site,
      query,
      disconnectSignal,
    }: {
      caller: Caller;
      site: SiteWithUrlKey;
      query: Query;
      disconnectSignal: () => AbortSignal;
    }): Promise<HandlerResponse> => {
      const { name } = segment;
      const range = await reportRangeOf(caller, query, { siteId: site.id }, reports);
      const request = { range, ...(query.action && { action: query.action }) };
      if (query.format === 'csv')
        return { status: 200, ...segmentCsv(segment, await reports.items(site.id, name, request)) };
      const sinceKnown = isFileFormat(query.format);
      const read = (): Promise<SegmentOfSite> => reports.segment(site.id, name, { ...request, sinceKnown });
      if (isFileFormat(query.format)) {
        return renderFileResponse(
          reportPages,
          query.format,
          async () => reportReader.segment(await read()),
          disconnectSignal,
        );
      }
      const data = segmentView(await read(), query.format, reports);
      return { status: 200, body: { success: 1, site: siteReferenceView(site), data } };
    };
  const handlers = SEGMENTS.map((segment) => [`pro_reports_${segment.name}`, segmentHandler(segment)]);
  return Object.fromEntries(handlers) as Pick<HandlersOf<'pro-reports'>, SegmentOperation>;
}
