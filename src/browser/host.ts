import type { ChildProcess } from 'node:child_process';
import { SECOND } from '../shared/clock.ts';
import { BrowserError } from './browser-error.ts';
import { findBrowser } from './browser-path.ts';
import { startProcess } from './entry.ts';
import { removeLeftovers } from './leftovers.ts';
import type { BrowserStart } from './messages.ts';
import { killNow } from './process-tree.ts';

export interface BrowserOptions {
  /** The browser; null looks for one at the known places. */
  chromePath: string | null;
  /** Whether the browser may use its own sandbox. */
  sandbox: boolean;
  systemPath: string;
  /** Folder of the processes around the browser; beside this file, unless given. */
  processes?: string | undefined;
}

const KEEPER_HEAP_MB = 128;
/** What the keeper may take beyond the deadline to end the browser; then it is ended itself. */
export const GRACE_MS = 15 * SECOND;

/** The operator's browser, and how keepers of it are started. */
export class BrowserHost {
  readonly #options: BrowserOptions;
  #swept: Promise<void> | null = null;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  async isInstalled(): Promise<boolean> {
    return (await findBrowser(this.#options.chromePath)) !== null;
  }

  /** How the browser is started; what earlier ones left is gone then. Throws `BrowserError` where there is none. */
  async start(): Promise<BrowserStart> {
    const { chromePath: named, sandbox, systemPath, processes } = this.#options;
    const chromePath = await findBrowser(named);
    if (chromePath === null) throw new BrowserError('browser_missing', 'no browser at the known places');
    this.#swept ??= removeLeftovers();
    await this.#swept;
    return { chromePath, sandbox, systemPath, processes };
  }
}

/** A keeper that waits to be told what to do. */
export const startKeeper = ({ systemPath, processes }: BrowserStart): ChildProcess =>
  startProcess('keeper', { heapMb: KEEPER_HEAP_MB, env: { PATH: systemPath }, folder: processes });

/** It sees that nobody listens any more, puts everything away, and goes; and is ended when it does not. */
export function leaveKeeper(keeper: ChildProcess): void {
  if (keeper.connected) keeper.disconnect();
  lastResort(keeper, GRACE_MS);
}

export function lastResort({ pid }: ChildProcess, afterMs: number): NodeJS.Timeout {
  return setTimeout(() => pid !== undefined && killNow(-pid), afterMs).unref();
}
