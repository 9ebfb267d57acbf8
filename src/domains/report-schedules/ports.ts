import type { SiteScope } from '../../shared/site-scope.ts';
import type { MailBranding } from '../mail/index.ts';
import type { ReportRange, ReportSubject, SegmentName } from '../pro-reports/index.ts';

export interface ReportRenderRequest {
  /** A report shows only sites of this scope. */
  scope: SiteScope;
  about: ReportSubject;
  segments: readonly SegmentName[] | null;
  range: ReportRange;
  text?: string;
  /** Milliseconds for which the sites are asked. Default: as long as for a caller who waits. */
  askedForMs?: number;
}

/** Look and greeting of the mail with a report. They are the same as in the report. */
export interface ReportMailLook {
  greeting: readonly string[];
  branding: MailBranding;
}

export interface RenderedReportPage {
  html: string;
  summary: readonly string[];
  mailLook: ReportMailLook;
  language: string;
  siteIds: readonly number[];
  zone: string;
  fileName: string;
  /** Throws `svc_module_not_available` if the browser for PDF files is not installed, or the reason of `signal`. */
  print(signal: AbortSignal): Promise<Uint8Array>;
}

export interface ReportRendererPort {
  render(wanted: ReportRenderRequest): Promise<RenderedReportPage>;
  /** Like `render` and `print`, but reads the report only when a browser is free. */
  pdf(wanted: ReportRenderRequest, signal: AbortSignal): Promise<{ content: Uint8Array; name: string }>;
}
