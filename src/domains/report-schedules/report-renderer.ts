import type { ReportPageRenderer, ReportPageReader, ReportToRender } from '../report-pages/index.ts';
import type { RenderedReportPage, ReportRendererPort, ReportRenderRequest } from './ports.ts';

export class ReportRenderer implements ReportRendererPort {
  readonly #reader: ReportPageReader;
  readonly #pages: ReportPageRenderer;

  constructor(reader: ReportPageReader, pages: ReportPageRenderer) {
    this.#reader = reader;
    this.#pages = pages;
  }

  async render(wanted: ReportRenderRequest): Promise<RenderedReportPage> {
    const content = await this.#read(wanted);
    const { report, presentation } = content;
    const { content: html, name: fileName, lead: summary, greeting, branding } = await this.#pages.html(content);
    const { name, color, accentColor, logo } = branding;
    return {
      html,
      fileName,
      summary,
      mailLook: { greeting, branding: { name, color, accentColor, logo } },
      language: presentation.language,
      zone: wanted.range.zone,
      siteIds: ('client' in report ? report.sites : [report]).map(({ site }) => site.id),
      print: async (signal) => (await this.#pages.pdf(() => Promise.resolve(content), signal)).content,
    };
  }

  pdf(wanted: ReportRenderRequest, signal: AbortSignal): Promise<{ content: Uint8Array; name: string }> {
    return this.#pages.pdf(() => this.#read(wanted), signal);
  }

  #read({ segments, text, ...wanted }: ReportRenderRequest): Promise<ReportToRender> {
    return this.#reader.read({ ...wanted, segments: segments ?? undefined, choice: { text } });
  }
}
