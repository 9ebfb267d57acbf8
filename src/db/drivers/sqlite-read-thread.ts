import { Worker } from 'node:worker_threads';
import { SECOND } from '../../shared/clock.ts';
import { withErrorCodes } from './sqlite-errors.ts';
import { sqliteModuleName } from './sqlite-module.ts';
import { rowFactory, type Binding, type Row } from './sqlite-query.ts';

/** Time without a read after which the thread ends. It uses about 20 MB. */
const IDLE_MS = 30 * SECOND;
const OPENING_WAIT_MS = 5000;
const CACHED_KB = 8_192;

/** Program of the thread, as text for the same reasons as in `sqlite-checkpoints.ts`. */
const PROGRAM = `
  process.emitWarning = () => undefined;
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require(workerData.module);
  let file;
  const open = () => {
    const opened = new DatabaseSync(workerData.file, { timeout: ${OPENING_WAIT_MS} });
    opened.exec('pragma query_only = on; pragma busy_timeout = 0; pragma cache_size = -${CACHED_KB}');
    return opened;
  };
  parentPort.on('message', ({ id, sql, bindings }) => {
    try {
      // The statement is prepared each time, so that it knows the columns after a schema change.
      const statement = (file ??= open()).prepare(sql);
      statement.setReturnArrays(true);
      const names = statement.columns().map(({ name }) => name);
      parentPort.postMessage({ id, names, values: statement.all(...bindings) });
    } catch ({ message, errcode }) {
      parentPort.postMessage({ id, error: { message, errcode } });
    }
  });
`;

const endedError = (cause?: unknown): Error => new Error('The thread for long reads has ended.', { cause });

interface Reply {
  id: number;
  names: string[];
  values: unknown[][];
  error?: { message: string; errcode?: number };
}

interface WaitingRead {
  resolve: (rows: Row[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Runs reads in a thread with a connection of its own. A statement is synchronous, so a long one would otherwise block
 * all other calls. The thread runs one read at a time, begins with the first one, and ends when it is idle.
 */
export class SqliteReadThread {
  readonly #file: string;
  readonly #waiting = new Map<number, WaitingRead>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #reads = 0;
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws the errors of SQLite with their codes, and an error if the thread ends before the read does. */
  all(sql: string, bindings: readonly Binding[]): Promise<Row[]> {
    if (this.#isClosed) return Promise.reject(endedError());
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#reads;
    clearTimeout(this.#idle);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, sql, bindings });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#end();
    await worker?.terminate();
  }

  #start(): Worker {
    const workerData = { module: sqliteModuleName, file: this.#file };
    const worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    let cause: unknown;
    worker.unref();
    worker.on('message', (reply: Reply) => this.#settle(reply));
    worker.on('error', (error) => (cause = error));
    // A closed thread may end after the next one has begun.
    worker.on('exit', () => this.#worker === worker && this.#end(cause));
    return worker;
  }

  #end(cause?: unknown): void {
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(endedError(cause));
    this.#waiting.clear();
  }

  #settle({ id, names, values, error }: Reply): void {
    const read = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) {
      this.#worker?.unref();
      this.#idle = setTimeout(() => void this.#stop(), IDLE_MS).unref();
    }
    if (!error) return read?.resolve(values.map(rowFactory(names)));
    try {
      withErrorCodes(() => {
        throw Object.assign(new Error(error.message), error.errcode !== undefined && { errcode: error.errcode });
      });
    } catch (withCode) {
      read?.reject(withCode);
    }
  }
}
