import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE, SECOND } from '../shared/clock.ts';
import { nextEventLoopTurn } from '../shared/event-loop.ts';
import { BrowserHost, GRACE_MS, type BrowserOptions } from './browser-host.ts';
import type { BrowserLimits } from './process-messages.ts';
import { PrintSession } from './print-session.ts';

export interface PrinterOptions extends BrowserOptions {
  limits?: BrowserLimits;
  /** Maximum number of concurrent browsers. Default: CPU cores minus one, at least 1 and at most 4. */
  browsers?: number;
  /** Idle time in milliseconds before a browser is closed. Default: 2,000. */
  idleMs?: number;
  /** Maximum time in milliseconds that `close` waits for browsers and pages. Default: 20,000. */
  closeMs?: number;
}

const LIMITS: BrowserLimits = { deadlineMs: 2 * MINUTE, memoryBytes: 1536 * 1024 * 1024 };
const MOST_BROWSERS = 4;
const IDLE_MS = 2 * SECOND;
/** A supervisor that does not exit is killed after `GRACE_MS`. The rest is for its exit. */
const CLOSE_MS = GRACE_MS + 5 * SECOND;
/** Number of pages after which a browser is replaced, so that memory leaks do not accumulate. */
const PAGES_A_BROWSER = 50;
/**
 * Number of pages that are made or wait for a browser while the browsers print others. The data of a report can come
 * from sites that take a minute to answer, and no browser waits for them. Each made page uses memory.
 */
const MADE_AHEAD = 8;

/** Creates the HTML. Called when few other pages wait for a browser, so that the queue holds little HTML. */
export type RenderHtml = () => string | Promise<string>;

interface PrintJob {
  make: RenderHtml;
  signal: AbortSignal;
  resolve: (pdf: Buffer) => void;
  reject: (error: unknown) => void;
}

interface MadePage {
  order: PrintJob;
  html: string;
}

/**
 * Prints pages as PDF with a browser that is installed on the server. All requests wait in one queue for a small number
 * of browsers. Each browser has time and memory limits, has no network access, and is reused while requests wait.
 */
export class Printer {
  readonly #host: BrowserHost;
  readonly #limits: BrowserLimits;
  readonly #idleMs: number;
  readonly #closeMs: number;
  readonly #maxBrowsers: number;
  readonly #jobs: PrintJob[] = [];
  readonly #making = new Set<PrintJob>();
  readonly #made: MadePage[] = [];
  /** Number of pages that are being made, wait for a browser or are being printed. */
  #begun = 0;
  readonly #open = new Set<PrintSession>();
  readonly #workers = new Set<Promise<void>>();
  readonly #idle: (() => void)[] = [];
  #closing: Error | null = null;

  constructor({ limits = LIMITS, browsers, idleMs = IDLE_MS, closeMs = CLOSE_MS, ...host }: PrinterOptions) {
    this.#host = new BrowserHost(host);
    this.#limits = limits;
    this.#idleMs = idleMs;
    this.#closeMs = closeMs;
    this.#maxBrowsers = browsers ?? Math.min(MOST_BROWSERS, Math.max(1, availableParallelism() - 1));
  }

  get browsers(): number {
    return this.#maxBrowsers;
  }

  get waiting(): number {
    return this.#jobs.length + this.#making.size + this.#made.length;
  }

  isInstalled(): Promise<boolean> {
    return this.#host.isInstalled();
  }

  /** Returns a page as PDF. Throws `BrowserError`, or the error of `make`, `signal` or `close`. */
  print(make: RenderHtml, signal: AbortSignal): Promise<Buffer> {
    let leave = (): void => undefined;
    return new Promise<Buffer>((resolve, reject) => {
      if (this.#closing ?? signal.aborted) return reject(this.#closing ?? (signal.reason as Error));
      const order: PrintJob = { make, signal, resolve, reject };
      leave = () => this.#giveUp(order);
      signal.addEventListener('abort', leave, { once: true });
      this.#jobs.push(order);
      this.#beginNext();
    }).finally(() => signal.removeEventListener('abort', leave));
  }

  async close(reason: Error): Promise<void> {
    this.#closing ??= reason;
    for (const order of [...this.#jobs.splice(0), ...this.#making]) order.reject(this.#closing);
    for (const { order } of this.#made.splice(0)) order.reject(this.#closing);
    for (const wake of this.#idle.splice(0)) wake();
    const gone = [...this.#open].map((session) => {
      session.close();
      return session.exited;
    });
    await Promise.race([Promise.all([...gone, ...this.#workers]), sleep(this.#closeMs, undefined, { ref: false })]);
  }

  #giveUp(order: PrintJob): void {
    const at = this.#jobs.indexOf(order);
    if (at >= 0) this.#jobs.splice(at, 1);
    const madeAt = this.#made.findIndex((page) => page.order === order);
    if (madeAt >= 0) {
      this.#made.splice(madeAt, 1);
      this.#release();
    }
    order.reject(order.signal.reason);
  }

  #beginNext(): void {
    if (this.#begun >= this.#maxBrowsers + MADE_AHEAD) return;
    const order = this.#jobs.shift();
    if (!order) return;
    this.#begun++;
    this.#making.add(order);
    void this.#makePage(order);
  }

  #release(): void {
    this.#begun--;
    this.#beginNext();
  }

  async #makePage(order: PrintJob): Promise<void> {
    await nextEventLoopTurn();
    const html = await this.#makeHtml(order);
    this.#making.delete(order);
    if (html === null) return this.#release();
    this.#made.push({ order, html });
    const wake = this.#idle.shift();
    if (wake) wake();
    else if (this.#workers.size < this.#maxBrowsers) this.#startWorker();
  }

  #startWorker(): void {
    const worker = this.#work().finally(() => {
      this.#workers.delete(worker);
      // A page that arrives while this worker closes its browser can have started no worker, because this one still
      // counts toward the maximum.
      if (this.#made.length > 0 && !this.#closing) this.#startWorker();
    });
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    let session: PrintSession | null = null;
    for (let page = await this.#nextPage(); page; page = await this.#nextPage()) {
      const { order, html } = page;
      try {
        if (session && !session.isReusable(PAGES_A_BROWSER)) session = await this.#end(session);
        session ??= await this.#openSession();
        order.resolve(await session.print(html));
      } catch (error) {
        order.reject(error);
      } finally {
        this.#release();
      }
    }
    await this.#end(session);
  }

  async #makeHtml({ make, signal, reject }: PrintJob): Promise<string | null> {
    if (this.#closing || signal.aborted) return null;
    try {
      const html = await make();
      return this.#closing || signal.aborted ? null : html;
    } catch (error) {
      reject(error);
      return null;
    }
  }

  async #openSession(): Promise<PrintSession> {
    const start = await this.#host.launchOptions();
    if (this.#closing) throw this.#closing;
    const session = new PrintSession(start, this.#limits);
    this.#open.add(session);
    return session;
  }

  /** Closes a browser. Waits until it has exited, because it counts toward the maximum until then. */
  async #end(session: PrintSession | null): Promise<null> {
    if (!session) return null;
    session.close();
    await session.exited;
    this.#open.delete(session);
    return null;
  }

  async #nextPage(): Promise<MadePage | undefined> {
    if (this.#made.length > 0 || this.#closing) return this.#made.shift();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(wake, this.#idleMs);
      const idle = this.#idle;
      idle.push(wake);
      function wake(): void {
        clearTimeout(timer);
        const at = idle.indexOf(wake);
        if (at >= 0) idle.splice(at, 1);
        resolve();
      }
    });
    return this.#made.shift();
  }
}
