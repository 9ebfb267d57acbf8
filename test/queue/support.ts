import assert from 'node:assert/strict';
import { inTransaction } from '../../src/db/transaction.ts';
import {
  createUnvalidatedParser,
  defineJobKind,
  plainInput,
  Queue,
  END_STATES,
  type Attempt,
  type ItemCounts,
  type JobKind,
  type NewJob,
  type QueueOptions,
  type CancelBehavior,
} from '../../src/queue/index.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { unlimitedRequester } from '../../src/shared/requester.ts';

export { until };

export interface ItemView {
  id: number;
  position: number;
  state: string;
  lease_owner: string | null;
  attempt: number;
  result: unknown;
  error_code: string | null;
  error_message: string | null;
}
export interface JobView {
  state: string;
  total: number;
  processed: number;
  succeeded: number;
  partial: number;
  failed: number;
  unknown: number;
  not_begun: number;
  started_at: number | null;
  completed_at: number | null;
}

type Work = (attempt: Attempt) => Promise<unknown>;
interface KindOptions {
  whenCancelled?: CancelBehavior;
  hasBegun?: () => Promise<boolean>;
}

/** A job kind about sites whose handler is the given function. */
const kindOf = (name: string, perform: Work, { whenCancelled = 'finish', hasBegun }: KindOptions = {}) =>
  defineJobKind({
    name,
    about: 'site',
    input: plainInput<unknown>(),
    result: createUnvalidatedParser<unknown>(),
    whenCancelled,
    retryPermission: null,
    ...(hasBegun && { hasBegun }),
    perform,
  });

export const registerHandler = (queue: Queue, name: string, perform: Work, options?: KindOptions): void =>
  queue.register(kindOf(name, perform, options));

type TestJob = NewJob<unknown> & { kind: JobKind<unknown, unknown> };

/** A job of a kind that the test can handle or not. */
export const testJob = (kind: string, count: number, input: unknown = {}): TestJob => ({
  kind: kindOf(kind, () => Promise.reject(new Error('This one only queues.'))),
  requestedBy: unlimitedRequester('tester'),
  input,
  items: Array.from({ length: count }, (_, index) => ({ siteId: index + 1, identifier: `site-${index}` })),
});

/** Gives each test of a suite its own bench. */
export function withQueueBench(take: (bench: QueueBench) => void): void {
  let bench: QueueBench;
  beforeEach(async () => take((bench = await QueueBench.open())));
  afterEach(() => bench.close());
}

/** A real database with any number of queues, as separate processes would have. */
export class QueueBench {
  readonly database: TestDatabase;
  readonly logs: { msg: string }[] = [];
  readonly clock = { time: 1_795_000_000_000, now: () => this.clock.time };
  readonly #queues = new Set<Queue>();
  #isClosed = false;

  constructor(store: TestDatabase) {
    this.database = store;
  }

  static async open(): Promise<QueueBench> {
    return new QueueBench(await openTestDatabase());
  }

  get knex() {
    return this.database.database.knex;
  }

  queue(options: Partial<QueueOptions> = {}): Queue {
    const logger = createLogger('info', { write: (line: string) => void this.logs.push(JSON.parse(line) as never) });
    const { clock, knex } = this;
    const queue = new Queue({ knex, clock, logger, pollMs: 20, leaseMs: 30_000, ...options });
    this.#queues.add(queue);
    return queue;
  }

  enqueue(queue: Queue, { kind, ...wanted }: TestJob): Promise<string> {
    return inTransaction(this.knex, (scope) => queue.enqueue(scope, kind, wanted));
  }

  begin(queue: Queue, { kind, ...wanted }: TestJob): Promise<string> {
    return inTransaction(this.knex, (scope) => queue.begin(scope, kind, wanted));
  }

  async job(id: string): Promise<JobView> {
    const row = await this.knex('jobs')
      .where({ id })
      .first<JobView>('state', 'total', 'processed', ...END_STATES, 'started_at', 'completed_at');
    assert.ok(row, `The job ${id} is gone.`);
    return row;
  }

  /** Returns the counters of a job. `others` has those for ends without full success that are not 0. */
  async counts(id: string): Promise<[string, number, number, number, Partial<ItemCounts>]> {
    const { state, total, processed, succeeded, partial, failed, unknown, not_begun } = await this.job(id);
    const others = Object.entries({ partial, failed, unknown, not_begun }).filter(([, count]) => count !== 0);
    return [state, total, processed, succeeded, Object.fromEntries(others)];
  }

  async items(id: string): Promise<ItemView[]> {
    const rows = await this.knex('job_items')
      .where({ job_id: id })
      .orderBy('position')
      .select<(ItemView & { result: string | null })[]>();
    return rows.map((row) => ({ ...row, result: row.result === null ? null : (JSON.parse(row.result) as unknown) }));
  }

  async waitForJob(id: string): Promise<JobView> {
    await until(async () => (await this.job(id)).completed_at !== null, `the job ${id} to end`);
    return this.job(id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#queues].map((queue) => queue.stop(0)));
    await this.database.close();
  }
}

/** A gate for handlers: calls wait until it opens. */
export function createGate(): { waiting: () => number; open(): void; pass(): Promise<void> } {
  let waiting = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    waiting: () => waiting,
    open: () => open(),
    pass: async () => {
      waiting++;
      await opened;
      waiting--;
    },
  };
}
