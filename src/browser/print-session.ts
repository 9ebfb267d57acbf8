import type { ChildProcess } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BrowserError } from './browser-error.ts';
import { GRACE_MS, lastResort, leaveKeeper, startKeeper } from './host.ts';
import {
  pageFile,
  pdfFile,
  type BrowserLimits,
  type BrowserStart,
  type Failure,
  type KeeperMessage,
  type KeeperTask,
  type PrintOrder,
} from './messages.ts';

interface Waiting {
  heard: (message: KeeperMessage) => boolean;
  reject: (error: Error) => void;
}

/** A browser that prints pages one at a time until the session is closed. */
export class PrintSession {
  readonly #keeper: ChildProcess;
  readonly #deadlineMs: number;
  #waiting: Waiting | null = null;
  #failure: Failure | null = null;
  #folder: Promise<string>;
  #pages = 0;
  /** Resolves when the keeper has exited. The browser has then ended and its files are removed. */
  readonly gone: Promise<void>;

  constructor(start: BrowserStart, limits: BrowserLimits) {
    const keeper = startKeeper(start);
    this.#keeper = keeper;
    this.#deadlineMs = limits.deadlineMs;
    keeper.on('message', (message) => this.#hear(message as KeeperMessage));
    keeper.on('error', (error) => this.#fail({ fault: 'browser_failed', detail: error.message }));
    this.gone = new Promise((resolve) => {
      keeper.once('exit', () => {
        resolve();
        // The last message can arrive after the `exit` event.
        setImmediate(() => this.#fail({ fault: 'browser_failed', detail: 'the keeper ended without a word' }));
      });
    });
    this.#folder = this.#next((message) => ('folder' in message ? message.folder : undefined));
    this.#folder.catch(() => undefined);
    keeper.send({ ...start, limits, audit: null } satisfies KeeperTask);
  }

  /** True if the session has not failed and has printed fewer than `most` pages. */
  isFit(most: number): boolean {
    return this.#failure === null && this.#pages < most;
  }

  /** Returns the page as PDF. Throws `BrowserError`; the session cannot be used after that. */
  async print(html: string): Promise<Buffer> {
    const page = ++this.#pages;
    const folder = await this.#folder;
    const [source, target] = [join(folder, pageFile(page)), join(folder, pdfFile(page))];
    await writeFile(source, html, { mode: 0o600 });
    const timer = lastResort(this.#keeper, this.#deadlineMs + GRACE_MS);
    try {
      const printed = this.#next((message) => ('printed' in message && message.printed === page ? true : undefined));
      if (this.#keeper.connected) this.#keeper.send({ print: page } satisfies PrintOrder);
      await printed;
      return await readFile(target);
    } finally {
      clearTimeout(timer);
      await Promise.all([source, target].map((file) => rm(file, { force: true })));
    }
  }

  close(): void {
    leaveKeeper(this.#keeper);
  }

  #next<T>(read: (message: KeeperMessage) => T | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#failure) return reject(errorOf(this.#failure));
      const heard = (message: KeeperMessage): boolean => {
        const value = read(message);
        if (value !== undefined) resolve(value);
        return value !== undefined;
      };
      this.#waiting = { heard, reject };
    });
  }

  #hear(message: KeeperMessage): void {
    if ('fault' in message) this.#fail(message);
    else if (this.#waiting?.heard(message)) this.#waiting = null;
  }

  /** Keeps the first failure, because later ones are its consequences. */
  #fail(failure: Failure): void {
    this.#failure ??= failure;
    this.#waiting?.reject(errorOf(this.#failure));
    this.#waiting = null;
  }
}

const errorOf = ({ fault, detail }: Failure): BrowserError => new BrowserError(fault, detail);
