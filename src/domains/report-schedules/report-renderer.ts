import type { ReportService } from '../pro-reports/index.ts';
import type { ReportPages } from '../report-pages/index.ts';
import type { ReportPage, ReportRendererPort, ReportRenderRequest } from './ports.ts';

export class ReportRenderer implements ReportRendererPort {
  readonly #reports: ReportService;
  readonly #pages: ReportPages;

  constructor(reports: ReportService, pages: ReportPages) {
    this.#reports = reports;
    this.#pages = pages;
  }

  async render({ about, segments, range }: ReportRenderRequest): Promise<ReportPage> {
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
