/** What the processes of an audit say to each other: plain values, since they cross a pipe as JSON. */

export type Strategy = 'desktop' | 'mobile';

/** What is to be audited, and how. */
export interface AuditTask {
  url: string;
  strategy: Strategy;
  /** Language of titles, such as `de`. */
  locale: string;
  verifyTls: boolean;
}

/** What an audit may take. */
export interface AuditLimits {
  deadlineMs: number;
  /** Of the browser and whatever drives it, together. */
  memoryBytes: number;
}

/** What the keeper is told. */
export interface KeeperTask {
  task: AuditTask;
  limits: AuditLimits;
  chromePath: string;
  sandbox: boolean;
  allowedNetworks: readonly string[];
  ipv4Only: boolean;
  /** Where the system looks for programs; the browser's start script asks for some. */
  systemPath: string;
}

/** What the runner is told by the keeper. */
export interface RunnerTask {
  task: AuditTask;
  chromePath: string;
  sandbox: boolean;
  folder: string;
  proxyPort: number;
  systemPath: string;
}

export type LighthouseFault =
  | 'engine_missing'
  | 'browser_missing'
  | 'browser_failed'
  | 'out_of_memory'
  | 'too_large'
  | 'timeout'
  | 'address_refused';

/** How an audit ended: with a result in Lighthouse's own format, or with what kept it from one. */
export type AuditOutcome =
  | { report: unknown; refused: number }
  | {
      fault: LighthouseFault;
      /** For the log alone: it may name paths. */
      detail: string;
    };

/** What the runner says: which process the browser is, and how it ended. */
export type RunnerMessage = { browserPid: number } | AuditOutcome;
