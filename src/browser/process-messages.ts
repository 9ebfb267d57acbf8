/** Messages between the service and the browser processes. They are sent as JSON, so they contain only plain values. */

export type Strategy = 'desktop' | 'mobile';

export interface AuditTask {
  url: string;
  strategy: Strategy;
  locale: string;
  verifyTls: boolean;
}

export interface BrowserLimits {
  deadlineMs: number;
  /** Maximum memory of the browser and its runner together. */
  memoryBytes: number;
}

export interface BrowserLaunchOptions {
  chromePath: string;
  sandbox: boolean;
  /** `PATH` of the operating system. The start script of the browser runs some system programs. */
  systemPath: string;
  processes?: string | undefined;
}

export interface NetworkPolicy {
  allowedNetworks: readonly string[];
  ipv4Only: boolean;
}

/** First message to the supervisor: one audit, or (with `audit: null`) printing until the channel is closed. */
export type SupervisorTask = BrowserLaunchOptions & { limits: BrowserLimits } & (
    | ({ audit: AuditTask } & NetworkPolicy)
    | { audit: null }
  );

export interface RunnerTask extends BrowserLaunchOptions {
  folder: string;
}
export interface AuditRunnerTask extends RunnerTask {
  audit: AuditTask;
  proxyPort: number;
}

/**
 * Requests a PDF of one page. The page is in the browser's folder as `pageFile(print)`; the PDF is written there as
 * `pdfFile(print)`.
 */
export interface PrintRequest {
  print: number;
}
export interface PrintedMessage {
  printed: number;
}
export const pageFile = (page: number): string => `page-${page}.html`;
export const pdfFile = (page: number): string => `page-${page}.pdf`;

export type BrowserFault =
  | 'engine_missing'
  | 'browser_missing'
  | 'browser_failed'
  | 'out_of_memory'
  | 'too_large'
  | 'timeout'
  | 'address_refused';

export interface Failure {
  fault: BrowserFault;
  /** Cause for the log. It is not shown to callers, because it may contain paths. */
  detail: string;
}

export type AuditOutcome = { report: unknown; refused: number } | Failure;

export type RunnerMessage = { browserPid: number } | PrintedMessage | AuditOutcome;

export type SupervisorMessage = { folder: string } | PrintedMessage | AuditOutcome;
