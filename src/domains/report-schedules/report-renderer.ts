import type { ReportReader } from '../pro-reports/index.ts';
import type { ReportPageRenderer } from '../report-pages/index.ts';
import type { RenderedReportPage, ReportRendererPort, ReportRenderRequest } from './ports.ts';

export class ReportRenderer implements ReportRendererPort {
  readonly #reports: ReportReader;
  readonly #pages: ReportPageRenderer;

  constructor(reports: ReportReader, pages: ReportPageRenderer) {
    this.#reports = reports;
    this.#pages = pages;
  }

  async render({ about, segments, range }: ReportRenderRequest): Promise<RenderedReportPage> {
    const request = { range, ...(segments && { segments }) };
    const report =
      'siteId' in about
        ? await this.#reports.site(about.siteId, request)
        : await this.#reports.client(about.client, request);
    const { content: html, name: fileName, lead: summary } = await this.#pages.html(report);
    return {
      html,
      fileName,
      summary,
      zone: range.zone,
      sitesCount: 'client' in report ? report.sites.length : 1,
      print: async (signal) => (await this.#pages.pdf(() => Promise.resolve(report), signal)).content,
    };
  }
}
