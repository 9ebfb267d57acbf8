import { BrowserError } from './browser-error.ts';
import {
  BrowserHost,
  GRACE_MS,
  killAfter,
  releaseSupervisor,
  startSupervisor,
  type BrowserOptions,
} from './browser-host.ts';
import type { AuditOutcome, AuditTask, BrowserLimits, SupervisorTask } from './process-messages.ts';

export interface LighthouseOptions extends BrowserOptions {
  allowedNetworks: readonly string[];
  ipv4Only: () => boolean;
}

export class Lighthouse {
  readonly #options: LighthouseOptions;
  readonly #host: BrowserHost;

  constructor(options: LighthouseOptions) {
    this.#options = options;
    this.#host = new BrowserHost(options);
  }

  isInstalled(): Promise<boolean> {
    return this.#host.isInstalled();
  }

  /** Throws `BrowserError`, or the reason of `signal`. */
  async audit(task: AuditTask, limits: BrowserLimits, signal: AbortSignal): Promise<unknown> {
    const { allowedNetworks, ipv4Only } = this.#options;
    const start = await this.#host.launchOptions();
    signal.throwIfAborted();
    const wanted = { ...start, audit: task, limits, allowedNetworks, ipv4Only: ipv4Only() };
    const outcome = await runSupervisedAudit(wanted, signal);
    if ('fault' in outcome) throw new BrowserError(outcome.fault, outcome.detail);
    if (outcome.refused > 0 && hasRuntimeError(outcome.report))
      throw new BrowserError('address_refused', 'the page leads to an address that is refused');
    return outcome.report;
  }
}

function runSupervisedAudit(wanted: SupervisorTask, signal: AbortSignal): Promise<AuditOutcome> {
  const supervisor = startSupervisor(wanted);
  let outcome: AuditOutcome = { fault: 'browser_failed', detail: 'the browser supervisor exited without a result' };
  const leave = (): void => releaseSupervisor(supervisor);
  const timer = killAfter(supervisor, wanted.limits.deadlineMs + GRACE_MS);
  signal.addEventListener('abort', leave, { once: true });
  return new Promise<AuditOutcome>((resolve, reject) => {
    supervisor.on('message', (message) => (outcome = message as AuditOutcome));
    supervisor.on('error', (error) => (outcome = { fault: 'browser_failed', detail: error.message }));
    const settle = (): void => (signal.aborted ? reject(signal.reason as Error) : resolve(outcome));
    /*
     * The last message can arrive after `exit`, so the result is read on `close`. After an abort, this process has
     * closed the channel. Then only `exit` is emitted, and no result is needed.
     */
    supervisor.once('close', settle);
    supervisor.once('exit', () => signal.aborted && settle());
    if (signal.aborted) leave();
    else if (supervisor.connected) supervisor.send(wanted);
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  });
}

/** If Lighthouse could not load the page, it still returns a report, which then contains a `runtimeError`. */
function hasRuntimeError(report: unknown): boolean {
  const { runtimeError } = (report ?? {}) as { runtimeError?: { code?: unknown } };
  return typeof runtimeError?.code === 'string' && runtimeError.code !== 'NO_ERROR';
}
