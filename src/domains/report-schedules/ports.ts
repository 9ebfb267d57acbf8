import type { ReportRange, SegmentName } from '../pro-reports/index.ts';

export interface ReportRenderRequest {
  about: { siteId: number } | { clientId: number };
  segments: readonly SegmentName[] | null;
  range: ReportRange;
}

export interface ReportPage {
  html: string;
  summary: readonly string[];
  sitesCount: number;
  /** File name without the extension. */
  fileName: string;
  /** Returns the page as PDF. Throws `svc_module_not_available` if there is no browser, or the reason of `signal`. */
  print(signal: AbortSignal): Promise<Uint8Array>;
}

export interface ReportRendererPort {
  render(wanted: ReportRenderRequest): Promise<ReportPage>;
}
