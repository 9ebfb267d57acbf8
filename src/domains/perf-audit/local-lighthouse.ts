import type { Logger } from '../../shared/logger.ts';
import { AuditError, type AuditErrorCode } from './audit.ts';
import type { AuditProvider, PageAuditRequest } from './audit-provider.ts';

export interface LighthouseRunner {
  isInstalled(): Promise<boolean>;
  /** Returns a Lighthouse report. Throws an error with `fault`, and with `detail` for the log. */
  audit(
    page: PageAuditRequest,
    limits: { deadlineMs: number; memoryBytes: number },
    signal: AbortSignal,
  ): Promise<unknown>;
}

export interface LocalLighthouseDeps {
  engine: LighthouseRunner;
  deadlineMs: number;
  memoryBytes: number;
  logger: Logger;
}

const INSTALL =
  'Chromium was not found. Install it on the server of this service (Debian: apt install chromium), set ' +
  'CHROME_PATH, or set an API key of PageSpeed Insights.';

const FAULTS: Record<string, { code: AuditErrorCode; message: string }> = {
  browser_missing: { code: 'browser_missing', message: INSTALL },
  engine_missing: {
    code: 'browser_missing',
    message: 'Lighthouse is not installed. Install the optional dependencies, or set an API key of PageSpeed Insights.',
  },
  browser_failed: {
    code: 'browser_failed',
    message: 'The browser could not be started, or it crashed. The log has the details.',
  },
  out_of_memory: { code: 'out_of_memory', message: 'The page used more memory than an audit can use.' },
  too_large: { code: 'too_large', message: 'The page loads more data than an audit can fetch.' },
  timeout: { code: 'timeout', message: 'The audit did not end in time.' },
  address_refused: {
    code: 'address_refused',
    message: 'The page leads to an address in a network that this service must not call.',
  },
};

/** Audits with a browser on this machine. All requests of the page go through a proxy that checks their addresses. */
export const createLighthouseProvider = ({ engine, logger, ...limits }: LocalLighthouseDeps): AuditProvider => ({
  engine: 'lighthouse',
  audit: async (page, signal) => {
    try {
      return await engine.audit(page, limits, signal);
    } catch (cause) {
      if (signal.aborted) throw cause;
      const { fault, detail } = cause as { fault?: string; detail?: string };
      const known = FAULTS[fault ?? ''];
      if (!known) throw cause;
      logger.warn({ url: page.url, fault, detail: detail?.slice(0, 2000) }, 'performance audit failed');
      throw new AuditError(known.code, known.message, { cause });
    }
  },
});
