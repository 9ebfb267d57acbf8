import type { ChildProcess } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError } from './browser-error.ts';
import { GRACE_MS, killAfter, releaseSupervisor, startSupervisor } from './browser-host.ts';
import {
  pageFile,
  pdfFile,
  type BrowserLimits,
  type BrowserLaunchOptions,
  type Failure,
  type SupervisorMessage,
  type SupervisorTask,
  type PrintRequest,
} from './process-messages.ts';

interface PendingReply {
  heard: (message: SupervisorMessage) => boolean;
  reject: (error: Error) => void;
}

export class PrintSession {
  readonly #supervisor: ChildProcess;
  readonly #deadlineMs: number;
  #waiting: PendingReply | null = null;
  #failure: Failure | null = null;
  #folder: Promise<string>;
  #pages = 0;
  /**
   * Resolves when the supervisor has exited or could not be started. By then, the browser has ended and its files are
   * removed.
   */
  readonly exited: Promise<void>;

  constructor(start: BrowserLaunchOptions, limits: BrowserLimits) {
    const supervisor = startSupervisor(start);
    this.#supervisor = supervisor;
    this.#deadlineMs = limits.deadlineMs;
    supervisor.on('message', (message) => this.#handleMessage(message as SupervisorMessage));
    supervisor.on('error', (error) => this.#fail({ fault: 'browser_failed', detail: error.message }));
    this.exited = new Promise((resolve) => {
      supervisor.once('exit', () => {
        resolve();
        // The last message can arrive after the `exit` event.
        setImmediate(() =>
          this.#fail({ fault: 'browser_failed', detail: 'the browser supervisor exited without a result' }),
        );
      });
      // Node emits `error` and no `exit` if it cannot start the process.
      supervisor.once('error', () => supervisor.pid === undefined && resolve());
    });
    this.#folder = this.#next((message) => ('folder' in message ? message.folder : undefined));
    this.#folder.catch(() => undefined);
    if (supervisor.connected) supervisor.send({ ...start, limits, audit: null } satisfies SupervisorTask);
  }

  isReusable(most: number): boolean {
    return this.#failure === null && this.#pages < most;
  }

  /** Returns the page as PDF. Throws `BrowserError`; the session cannot be used after that. */
  async print(html: string): Promise<Buffer> {
    const page = ++this.#pages;
    const folder = await this.#withinDeadline(this.#folder);
    const [source, target] = [join(folder, pageFile(page)), join(folder, pdfFile(page))];
    await writeFile(source, html, { mode: 0o600 });
    try {
      const printed = this.#next((message) => ('printed' in message && message.printed === page ? true : undefined));
      if (this.#supervisor.connected) this.#supervisor.send({ print: page } satisfies PrintRequest);
      await this.#withinDeadline(printed);
      return await readFile(target);
    } finally {
      await Promise.all([source, target].map((file) => rm(file, { force: true })));
    }
  }

  close(): void {
    releaseSupervisor(this.#supervisor);
  }

  /** Kills the supervisor if it does not reply in time. Its exit then rejects `reply`. */
  async #withinDeadline<T>(reply: Promise<T>): Promise<T> {
    const timer = killAfter(this.#supervisor, this.#deadlineMs + GRACE_MS);
    return reply.finally(() => clearTimeout(timer));
  }

  #next<T>(read: (message: SupervisorMessage) => T | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure) return reject(toBrowserError(this.#failure));
      const heard = (message: SupervisorMessage): boolean => {
        const value = read(message);
        if (value !== undefined) resolve(value);
        return value !== undefined;
      };
      this.#waiting = { heard, reject };
    });
  }

  #handleMessage(message: SupervisorMessage): void {
    if ('fault' in message) this.#fail(message);
    else if (this.#waiting?.heard(message)) this.#waiting = null;
  }

  /** Stores only the first failure, because later failures are its consequences. */
  #fail(failure: Failure): void {
    this.#failure ??= failure;
    this.#waiting?.reject(toBrowserError(this.#failure));
    this.#waiting = null;
  }
}

const toBrowserError = ({ fault, detail }: Failure): BrowserError => new BrowserError(fault, detail);
