import type { ChildProcess } from 'node:child_process';
import { SECOND } from '../shared/clock.ts';
import { findBrowser } from './browser-path.ts';
import { startProcess } from './entry.ts';
import { removeLeftovers } from './leftovers.ts';
import type { AuditLimits, AuditOutcome, AuditTask, KeeperTask, LighthouseFault } from './messages.ts';
import { killNow } from './process-tree.ts';

export interface LighthouseOptions {
  /** The browser; null looks for one at the known places. */
  chromePath: string | null;
  /** Whether the browser may use its own sandbox. */
  sandbox: boolean;
  systemPath: string;
  /** CIDRs that pages may be asked of although they are not public. */
  allowedNetworks: readonly string[];
  ipv4Only: () => boolean;
}

/** An audit that came to nothing. */
export class LighthouseError extends Error {
  override readonly name = 'LighthouseError';
  readonly fault: LighthouseFault;
  /** For the log alone. */
  readonly detail: string;
  constructor(fault: LighthouseFault, detail: string) {
    super(`The audit came to nothing: ${fault}.`);
    this.fault = fault;
    this.detail = detail;
  }
}

const KEEPER_HEAP_MB = 128;
/** What the keeper may take beyond the deadline to end the browser; then it is ended itself. */
const GRACE_MS = 15 * SECOND;

/**
 * Lighthouse with a browser of the operator's. Each audit is a process of its own that keeps the browser within limits of
 * time and memory, and ends it when this process is gone.
 */
export class Lighthouse {
  readonly #options: LighthouseOptions;
  #swept: Promise<void> | null = null;

  constructor(options: LighthouseOptions) {
    this.#options = options;
  }

  /** Whether there is a browser. */
  async isInstalled(): Promise<boolean> {
    return (await findBrowser(this.#options.chromePath)) !== null;
  }

  /** A report in Lighthouse's own format, without its screenshots. Throws `LighthouseError`, or what `signal` says. */
  async audit(task: AuditTask, limits: AuditLimits, signal: AbortSignal): Promise<unknown> {
    const { sandbox, systemPath, allowedNetworks, ipv4Only } = this.#options;
    const chromePath = await findBrowser(this.#options.chromePath);
    if (chromePath === null) throw new LighthouseError('browser_missing', 'no browser at the known places');
    this.#swept ??= removeLeftovers();
    await this.#swept;
    signal.throwIfAborted();
    const rules = { sandbox, systemPath, allowedNetworks, ipv4Only: ipv4Only() };
    const outcome = await outcomeOf({ task, limits, chromePath, ...rules }, signal);
    if ('fault' in outcome) throw new LighthouseError(outcome.fault, outcome.detail);
    if (outcome.refused > 0 && hasNoPage(outcome.report))
      throw new LighthouseError('address_refused', 'the page leads to an address that is refused');
    return outcome.report;
  }
}

/** Tells the keeper what to do, and waits until it is done and gone. */
function outcomeOf(wanted: KeeperTask, signal: AbortSignal): Promise<AuditOutcome> {
  const keeper = startProcess('keeper', { heapMb: KEEPER_HEAP_MB, env: { PATH: wanted.systemPath } });
  let outcome: AuditOutcome = { fault: 'browser_failed', detail: 'the keeper ended without a word' };
  // It sees that nobody listens any more, puts everything away, and goes.
  const leave = (): void => {
    if (keeper.connected) keeper.disconnect();
    lastResort(keeper, GRACE_MS);
  };
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

function lastResort({ pid }: ChildProcess, afterMs: number): NodeJS.Timeout {
  return setTimeout(() => pid !== undefined && killNow(-pid), afterMs).unref();
}

/** Lighthouse writes a report even of a page that it could not load, and says so in there. */
function hasNoPage(report: unknown): boolean {
  const { runtimeError } = (report ?? {}) as { runtimeError?: { code?: unknown } };
  return typeof runtimeError?.code === 'string' && runtimeError.code !== 'NO_ERROR';
}
