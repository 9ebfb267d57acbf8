import { BrowserError } from './browser-error.ts';
import { BrowserHost, GRACE_MS, lastResort, leaveKeeper, startKeeper, type BrowserOptions } from './host.ts';
import type { AuditOutcome, AuditTask, BrowserLimits, KeeperTask } from './messages.ts';

export interface LighthouseOptions extends BrowserOptions {
  /** CIDRs that pages may be asked of although they are not public. */
  allowedNetworks: readonly string[];
  ipv4Only: () => boolean;
}

/**
 * Lighthouse with a browser of the operator's. Each audit is a process of its own that keeps the browser within limits
 * of time and memory, and ends it when this process is gone.
 */
export class Lighthouse {
  readonly #options: LighthouseOptions;
  readonly #host: BrowserHost;

  constructor(options: LighthouseOptions) {
    this.#options = options;
    this.#host = new BrowserHost(options);
  }

  /** Whether there is a browser. */
  isInstalled(): Promise<boolean> {
    return this.#host.isInstalled();
  }

  /** A report in Lighthouse's own format, without its screenshots. Throws `BrowserError`, or what `signal` says. */
  async audit(task: AuditTask, limits: BrowserLimits, signal: AbortSignal): Promise<unknown> {
    const { allowedNetworks, ipv4Only } = this.#options;
    const start = await this.#host.start();
    signal.throwIfAborted();
    const wanted = { ...start, audit: task, limits, allowedNetworks, ipv4Only: ipv4Only() };
    const outcome = await outcomeOf(wanted, signal);
    if ('fault' in outcome) throw new BrowserError(outcome.fault, outcome.detail);
    if (outcome.refused > 0 && hasNoPage(outcome.report))
      throw new BrowserError('address_refused', 'the page leads to an address that is refused');
    return outcome.report;
  }
}

/** Tells the keeper what to do, and waits until it is done and gone. */
function outcomeOf(wanted: KeeperTask, signal: AbortSignal): Promise<AuditOutcome> {
  const keeper = startKeeper(wanted);
  let outcome: AuditOutcome = { fault: 'browser_failed', detail: 'the keeper ended without a word' };
  const leave = (): void => leaveKeeper(keeper);
  const timer = lastResort(keeper, wanted.limits.deadlineMs + GRACE_MS);
  signal.addEventListener('abort', leave, { once: true });
  return new Promise<AuditOutcome>((resolve, reject) => {
    keeper.on('message', (message) => (outcome = message as AuditOutcome));
    keeper.on('error', (error) => (outcome = { fault: 'browser_failed', detail: error.message }));
    const settle = (): void => (signal.aborted ? reject(signal.reason as Error) : resolve(outcome));
    // Its last word may come behind its end. A channel that was closed on this side never tells of that.
    keeper.once('close', settle);
    keeper.once('exit', () => signal.aborted && settle());
    if (signal.aborted) leave();
    else keeper.send(wanted);
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  });
}

/** Lighthouse writes a report even of a page that it could not load, and says so in there. */
function hasNoPage(report: unknown): boolean {
  const { runtimeError } = (report ?? {}) as { runtimeError?: { code?: unknown } };
  return typeof runtimeError?.code === 'string' && runtimeError.code !== 'NO_ERROR';
}
