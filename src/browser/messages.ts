/** What the processes around a browser say to each other: plain values, since they cross a pipe as JSON. */

export type Strategy = 'desktop' | 'mobile';

/** What is to be audited, and how. */
export interface AuditTask {
  url: string;
  strategy: Strategy;
  /** Language of titles, such as `de`. */
  locale: string;
  verifyTls: boolean;
}

/** What an audit, or the printing of a page, may take. */
export interface BrowserLimits {
  deadlineMs: number;
  /** Of the browser and whatever drives it, together. */
  memoryBytes: number;
}

/** Where the browser is, and how it is started. */
export interface BrowserStart {
  chromePath: string;
  sandbox: boolean;
  /** Where the system looks for programs; the browser's start script asks for some. */
  systemPath: string;
  /** Where the processes around it lie; beside who starts them, unless given. */
  processes?: string | undefined;
}

/** Which addresses a browser that audits may ask. */
export interface WayOut {
  allowedNetworks: readonly string[];
  ipv4Only: boolean;
}

/** What the keeper is told first: one audit, or pages to print until nobody listens any more. */
export type KeeperTask = BrowserStart & { limits: BrowserLimits } & (({ audit: AuditTask } & WayOut) | { audit: null });

/** What a runner is told first by the keeper. Without a proxy there is no way to the network. */
export interface RunnerTask extends BrowserStart {
  folder: string;
}
export interface AuditRunnerTask extends RunnerTask {
  audit: AuditTask;
  proxyPort: number;
}

/** A page lies in the folder of the browser under its number, and is to lie there as PDF. */
export interface PrintOrder {
  print: number;
}
export interface Printed {
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
  /** For the log alone: it may name paths. */
  detail: string;
}

/** How an audit ended: with a result in Lighthouse's own format, or with what kept it from one. */
export type AuditOutcome = { report: unknown; refused: number } | Failure;

/** What a runner says: which process the browser is, a page that is printed, and how it ended. */
export type RunnerMessage = { browserPid: number } | Printed | AuditOutcome;

/** What the keeper says: where pages to print are expected, what is printed, and how it ended. */
export type KeeperMessage = { folder: string } | Printed | AuditOutcome;
