import { NotFoundError } from '../../shared/errors.ts';
import { languageOf } from '../../languages/index.ts';
import type { Logger } from '../../shared/logger.ts';
import type { ClientReport, SegmentOfSite, SiteReport } from '../pro-reports/index.ts';
import type { Formats, SettingsService } from '../settings/index.ts';
import { buildClientPage, buildSegmentPage, buildSitePage } from './build-page.ts';
import type { Comparison } from './comparison.ts';
import { displayNamesOf } from './display-names.ts';
import type { PageBranding, ReportPageContent } from './page-content.ts';
import { renderReportHtml } from './html-renderer.ts';
import { fileNameOf } from './file-name.ts';
import type { ReportTemplate } from '../report-templates/index.ts';
import type { Presentation } from './presentation.ts';
import { ReportFormats } from './report-formats.ts';

export interface ReportToRender {
  report: SiteReport | ClientReport | SegmentOfSite;
  presentation: Presentation;
  before: Comparison | null;
}

export interface PagePrinter {
  isInstalled(): Promise<boolean>;
  /**
   * Returns a page as PDF. Throws the error of `make`, the reason of `signal`, or an error that has `fault`, and
   * `detail` for the log.
   */
  print(make: () => Promise<string>, signal: AbortSignal): Promise<Buffer>;
}

export interface ReportPageRendererDeps {
  settings: SettingsService;
  formats: Formats;
  printer: PagePrinter;
  logger: Logger;
}

/** `name` is the file name without the extension. */
export interface RenderedReportFile<Content> {
  content: Content;
  name: string;
}

export interface RenderedReportHtml extends RenderedReportFile<string> {
  lead: readonly string[];
  greeting: readonly string[];
  branding: PageBranding;
}

const NO_BROWSER =
  'PDF requires Chromium on the server of this service (Debian: apt install chromium; or set CHROME_PATH) ' +
  'and the optional dependencies of the service. `format=html` returns the same report.';

export class ReportPageRenderer {
  readonly #deps: ReportPageRendererDeps;

  constructor(deps: ReportPageRendererDeps) {
    this.#deps = deps;
  }

  async html(content: ReportToRender): Promise<RenderedReportHtml> {
    const { range } = content.report;
    const zone = this.#deps.formats.inZone(range.zone).zone();
    const names = displayNamesOf(this.#deps.settings.current('pro-reports'));
    const formats = new ReportFormats(languageOf(content.presentation.language), zone, names);
    const page = await buildPage(content, formats);
    const name = fileNameOf(range, page.cover.name);
    const branding = this.branding(content.presentation.template);
    return {
      content: await renderReportHtml(page, branding, formats),
      ...{ name, lead: [...page.notes, ...page.lead], greeting: page.greeting, branding },
    };
  }

  canPrint(): Promise<boolean> {
    return this.#deps.printer.isInstalled();
  }

  /**
   * Calls `make` only when few other reports wait for a browser, because each of them uses memory. Throws
   * `svc_module_not_available` if there is no browser, and the reason of `signal` if the caller is gone.
   */
  async pdf(make: () => Promise<ReportToRender>, signal: AbortSignal): Promise<RenderedReportFile<Buffer>> {
    if (!(await this.canPrint())) throw noBrowser();
    let name = '';
    const html = async (): Promise<string> => {
      const file = await this.html(await make());
      name = file.name;
      return file.content;
    };
    try {
      return { content: await this.#deps.printer.print(html, signal), name };
    } catch (cause) {
      const { fault, detail } = cause as { fault?: string; detail?: string };
      if (fault === undefined || signal.aborted) throw cause;
      this.#deps.logger.warn({ fault, detail: detail?.slice(0, 2000) }, 'a report could not be printed');
      if (fault === 'browser_missing' || fault === 'engine_missing') throw noBrowser();
      throw new Error(`The report could not be printed: ${fault}.`, { cause });
    }
  }

  readonly branding = (template?: Pick<ReportTemplate, 'color' | 'accentColor' | 'logo'>): PageBranding => {
    const group = this.#deps.settings.current('pro-reports');
    const color = template?.color ?? group.agency_color;
    return {
      name: group.agency_name,
      color,
      accentColor: template?.accentColor ?? color,
      logo: template?.logo ?? group.agency_logo,
      footer: group.agency_footer,
    };
  };
}

const noBrowser = (): NotFoundError => new NotFoundError('svc_module_not_available', NO_BROWSER);

async function buildPage(
  { report, presentation, before }: ReportToRender,
  formats: ReportFormats,
): Promise<ReportPageContent> {
  if ('client' in report) return buildClientPage(report, presentation, before, formats);
  if ('segment' in report) return buildSegmentPage(report, presentation, formats);
  return buildSitePage(report, presentation, before, formats);
}
