import { availableParallelism } from 'node:os';
import { MINUTE, SECOND } from '../shared/clock.ts';
import { BrowserHost, type BrowserOptions } from './host.ts';
import type { BrowserLimits } from './messages.ts';
import { PrintSession } from './print-session.ts';

export interface PrinterOptions extends BrowserOptions {
  /** Of one page. */
  limits?: BrowserLimits;
  /** Browsers at a time; one core is left to the service, unless given. */
  browsers?: number;
  /** How long a browser waits for a further page before it is ended. */
  idleMs?: number;
}

const LIMITS: BrowserLimits = { deadlineMs: 2 * MINUTE, memoryBytes: 1536 * 1024 * 1024 };
const MOST_BROWSERS = 4;
const IDLE_MS = 2 * SECOND;
/** A browser that has printed so many gives way to a new one, so that nothing adds up in it. */
const PAGES_A_BROWSER = 50;

/** Makes a page when its turn has come, so that a long queue holds no pages. */
export type MakePage = () => string | Promise<string>;

interface Order {
  make: MakePage;
  signal: AbortSignal;
  resolve: (pdf: Buffer) => void;
  reject: (error: unknown) => void;
}

/**
 * Prints pages as PDF with a browser of the operator's. Whoever asks waits in one queue for a few browsers; each is
 * kept within limits of time and memory, has no way to the network, and stays for the next page while somebody waits.
 */
export class Printer {
  readonly #host: BrowserHost;
  readonly #limits: BrowserLimits;
  readonly #idleMs: number;
  readonly #most: number;
  readonly #orders: Order[] = [];
  readonly #open = new Set<PrintSession>();
  readonly #workers = new Set<Promise<void>>();
  /** Browsers that wait for a page are woken by one. */
  readonly #idle: (() => void)[] = [];
  #closing: Error | null = null;

  constructor({ limits = LIMITS, browsers, idleMs = IDLE_MS, ...host }: PrinterOptions) {
    this.#host = new BrowserHost(host);
    this.#limits = limits;
    this.#idleMs = idleMs;
    this.#most = browsers ?? Math.min(MOST_BROWSERS, Math.max(1, availableParallelism() - 1));
  }

  /** Browsers that there are at most at a time. */
  get browsers(): number {
    return this.#most;
  }

  /** Pages that wait for their turn. */
  get waiting(): number {
    return this.#orders.length;
  }

  /** Whether there is a browser. */
  isInstalled(): Promise<boolean> {
    return this.#host.isInstalled();
  }

  /**
   * A page as PDF. Throws `BrowserError`, what making the page threw, or what `signal` says: whoever is gone leaves the
   * queue.
   */
  print(make: MakePage, signal: AbortSignal): Promise<Buffer> {
    let leave = (): void => undefined;
    return new Promise<Buffer>((resolve, reject) => {
      if (this.#closing ?? signal.aborted) return reject(this.#closing ?? (signal.reason as Error));
      const order: Order = { make, signal, resolve, reject };
      leave = () => this.#giveUp(order);
      signal.addEventListener('abort', leave, { once: true });
      this.#orders.push(order);
      const wake = this.#idle.shift();
      if (wake) wake();
      else if (this.#workers.size < this.#most) this.#startWorker();
    }).finally(() => signal.removeEventListener('abort', leave));
  }

  /** Refuses whoever waits with this error, ends the browsers, and waits until they are gone. */
  async close(reason: Error): Promise<void> {
    this.#closing ??= reason;
    for (const order of this.#orders.splice(0)) order.reject(this.#closing);
    for (const wake of this.#idle.splice(0)) wake();
    const gone = [...this.#open].map((session) => {
      session.close();
      return session.gone;
    });
    await Promise.all([...gone, ...this.#workers]);
  }

  #giveUp(order: Order): void {
    const at = this.#orders.indexOf(order);
    if (at >= 0) this.#orders.splice(at, 1);
    order.reject(order.signal.reason);
  }

  #startWorker(): void {
    const worker = this.#work().finally(() => {
      this.#workers.delete(worker);
      // Who came while its browser was being ended has woken nobody.
      if (this.#orders.length > 0 && !this.#closing) this.#startWorker();
    });
    this.#workers.add(worker);
  }

  /** Takes orders until there are none for a while. */
  async #work(): Promise<void> {
    let session: PrintSession | null = null;
    for (let order = await this.#nextOrder(); order; order = await this.#nextOrder()) {
      const html = await this.#made(order);
      if (html === null) continue;
      try {
        if (session && !session.isFit(PAGES_A_BROWSER)) session = await this.#end(session);
        session ??= await this.#openSession();
        order.resolve(await session.print(html));
      } catch (error) {
        order.reject(error);
      }
    }
    await this.#end(session);
  }

  /** Null when there is nothing to print: it could not be made, or nobody wants it any more. */
  async #made({ make, signal, reject }: Order): Promise<string | null> {
    try {
      const html = await make();
      return signal.aborted ? null : html;
    } catch (error) {
      reject(error);
      return null;
    }
  }

  async #openSession(): Promise<PrintSession> {
    const start = await this.#host.start();
    if (this.#closing) throw this.#closing;
    const session = new PrintSession(start, this.#limits);
    this.#open.add(session);
    return session;
  }

  /** No other is begun before this one is gone: browsers are counted until then. */
  async #end(session: PrintSession | null): Promise<null> {
    if (!session) return null;
    session.close();
    await session.gone;
    this.#open.delete(session);
    return null;
  }

  async #nextOrder(): Promise<Order | undefined> {
    if (this.#orders.length > 0 || this.#closing) return this.#orders.shift();
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
    return this.#orders.shift();
  }
}
