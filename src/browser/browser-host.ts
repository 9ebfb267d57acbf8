import type { ChildProcess } from 'node:child_process';
import { SECOND } from '../shared/clock.ts';
import { BrowserError } from './browser-error.ts';
import { findBrowser } from './browser-path.ts';
import { startProcess } from './start-process.ts';
import { browserTempFolder, removeStaleFolders } from './stale-browser-folders.ts';
import type { BrowserLaunchOptions } from './process-messages.ts';
import { killNow } from './process-tree.ts';

export interface BrowserOptions {
  chromePath: string | null;
  sandbox: boolean;
  systemPath: string;
  /** Folder of the built helper processes. Default: the folder of this file. */
  processes?: string | undefined;
}

const SUPERVISOR_HEAP_MB = 128;
/** Time after the deadline in which the supervisor must end the browser. After it, the supervisor is killed. */
export const GRACE_MS = 15 * SECOND;

export class BrowserHost {
  readonly #options: BrowserOptions;
  #cleanup: Promise<void> | null = null;

  constructor(options: BrowserOptions) {
    this.#options = options;
  }

  async isInstalled(): Promise<boolean> {
    return (await findBrowser(this.#options.chromePath)) !== null;
  }

  /**
   * Returns the options for starting a browser. The first call also deletes the temporary files of earlier browsers
   * whose processes were killed. Throws `BrowserError` (`browser_missing`) if there is no browser.
   */
  async launchOptions(): Promise<BrowserLaunchOptions> {
    const { chromePath: named, sandbox, systemPath, processes } = this.#options;
    const chromePath = await findBrowser(named);
    if (chromePath === null) throw new BrowserError('browser_missing', 'no browser was found at the known paths');
    this.#cleanup ??= removeStaleFolders();
    await this.#cleanup;
    return { chromePath, sandbox, systemPath, processes };
  }
}

export const startSupervisor = ({ systemPath, processes }: BrowserLaunchOptions): ChildProcess =>
  startProcess('browser-supervisor', {
    heapMb: SUPERVISOR_HEAP_MB,
    // `removeStaleFolders` looks in the same folder.
    env: { PATH: systemPath, TMPDIR: browserTempFolder() },
    folder: processes,
  });

/**
 * Closes the channel to the supervisor, which makes it clean up and exit. Kills it if it has not exited after
 * `GRACE_MS`.
 */
export function releaseSupervisor(supervisor: ChildProcess): void {
  if (supervisor.connected) supervisor.disconnect();
  killAfter(supervisor, GRACE_MS);
}

export function killAfter({ pid }: ChildProcess, afterMs: number): NodeJS.Timeout {
  return setTimeout(() => pid !== undefined && killNow(-pid), afterMs).unref();
}
