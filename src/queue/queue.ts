import { EventEmitter, once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { leaseTimer } from '../db/lease.ts';
import type { TransactionScope } from '../db/transaction.ts';
import { MINUTE, SECOND, type Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/logger.ts';
import type { Permission } from '../shared/permissions.ts';
import { repeatUntilAborted } from '../shared/repeat-until-aborted.ts';
import { DATABASE_UNREACHABLE, PollingDelivery, type Delivery } from './delivery.ts';
import { ItemLeaseStore } from './item-lease-store.ts';
import { JobStore } from './job-store.ts';
import type { NewJobRows } from './job.ts';
import type { AnyJobKind, JobKind, NewJob, SubjectType } from './job-kind.ts';
import { OutcomeRecorder } from './outcome-recorder.ts';
import { Worker, type ItemLimitCheck } from './worker.ts';

export interface QueueOptions {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  /**
   * Maximum number of items that run in this process. For jobs with one item, it is a quarter higher. The connector
   * limits its calls separately. Default: 64.
   */
  concurrency?: number;
  leaseMs?: number;
  /** Interval for finding items that other processes queued. Default: 1,000. */
  pollMs?: number;
}

/**
 * Runs queued jobs under leases. Any number of processes on one database share the items. If a process dies, another
 * one repeats its unfinished items with `resumed: true`. `Delivery` selects the items that may begin, and `Worker` runs
 * them.
 */
export class Queue {
  readonly #store: JobStore;
  readonly #leases: ItemLeaseStore;
  readonly #delivery: Delivery;
  readonly #worker: Worker;
  readonly #recorder: OutcomeRecorder;
  readonly #logger: Logger;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  /** Unique per process start, so that a restarted process does not use the leases of its predecessor. */
  readonly #owner = `w-${randomUUID()}`;
  readonly #kinds = new Map<string, AnyJobKind>();
  /** Emits `done:<job>` when a job has ended in this process, or when this process can no longer work on it. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #stopping = new AbortController();
  #isWithinLimits: ItemLimitCheck = () => Promise.resolve(false);
  #stopped = false;
  #loops: Promise<void>[] = [];

  constructor({ knex, clock, logger, concurrency: window = 64, leaseMs = 30 * SECOND, pollMs = SECOND }: QueueOptions) {
    this.#logger = logger;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
    const finished = (): string[] => this.kinds.filter(({ hasBegun }) => hasBegun).map(({ name }) => name);
    const store = new JobStore(knex, clock, leaseMs, finished);
    const rules = { limits: () => this.#limits(), kinds: () => [...this.#kinds.keys()], finished };
    const leases = new ItemLeaseStore(knex, clock, leaseMs, rules);
    const common = { store, leases, owner: this.#owner, clock, logger };
    this.#store = store;
    this.#leases = leases;
    this.#delivery = new PollingDelivery({ ...common, batch: Math.max(1, window / 4), pollMs });
    this.#recorder = new OutcomeRecorder({
      ...common,
      onRecorded: ({ batch, doneJobIds }) => {
        for (const jobId of doneJobIds) this.#events.emit(`done:${jobId}`);
        if (batch.some(({ item }) => item.isStaged || this.#kinds.get(item.kind)?.maxRunning))
          this.#delivery.announce();
        for (const { outcome } of batch) if (outcome.state === 'waiting') this.#delivery.announce(outcome.at);
      },
    });
    this.#worker = new Worker({
      ...common,
      concurrency: window,
      recorder: this.#recorder,
      kindOf: (name) => this.#kinds.get(name),
      isWithinLimits: (credential, siteId) => this.#isWithinLimits(credential, siteId),
      onFreeSlots: () => this.#delivery.announce(),
    });
  }

  register(...kinds: AnyJobKind[]): void {
    for (const kind of kinds) {
      if (this.#kinds.has(kind.name)) throw new Error(`Two job kinds have the name ${kind.name}.`);
      this.#kinds.set(kind.name, kind);
    }
  }

  limitItemsBy(check: ItemLimitCheck): void {
    this.#isWithinLimits = check;
  }

  /**
   * Returns an empty list if a retry needs no permission of its own, or if this release does not know the kind: an
   * earlier release can have stored the job.
   */
  retryPermissionsOf(kind: string, input: unknown): Permission[] {
    const { retryPermission = null, retryAlsoNeeds } = this.#kinds.get(kind) ?? {};
    return [retryPermission, retryAlsoNeeds?.(input) ?? null].filter((permission) => permission !== null);
  }

  get kinds(): AnyJobKind[] {
    return [...this.#kinds.values()];
  }

  enqueue<Input, Subject extends SubjectType>(
    scope: TransactionScope,
    kind: JobKind<Input, unknown, Subject>,
    job: NewJob<Input, Subject>,
  ): Promise<string> {
    return this.enqueueRows(scope, kind.rowsOf(job));
  }

  async enqueueIfAny<Input, Subject extends SubjectType>(
    scope: TransactionScope,
    kind: JobKind<Input, unknown, Subject>,
    job: NewJob<Input, Subject>,
  ): Promise<string | null> {
    return job.items.length === 0 ? null : this.enqueue(scope, kind, job);
  }

  /**
   * Queues the items of the ended job `jobId` again. With `whenRetried: 'repeat'`, they run as new items, not as
   * `resumed`.
   */
  retry(scope: TransactionScope, jobId: string, job: NewJobRows): Promise<string> {
    const kind = this.#kinds.get(job.kind);
    const input = kind ? kind.retriedInput(job.input, jobId) : job.input;
    return this.#insert(scope, { ...job, input }, { resumes: kind?.whenRetried === 'look' });
  }

  enqueueRows(scope: TransactionScope, job: NewJobRows): Promise<string> {
    return this.#insert(scope, job, { resumes: true });
  }

  async #insert(scope: TransactionScope, job: NewJobRows, { resumes }: { resumes: boolean }): Promise<string> {
    const id = await this.#store.insert(scope.trx, job, null, { resumes });
    scope.afterCommit(() => this.#delivery.announce(job.notBefore));
    return id;
  }

  /** Inserts a job and begins it in this process immediately, without a claim. Returns its ID. */
  async begin<Input, Subject extends SubjectType>(
    scope: TransactionScope,
    kind: JobKind<Input, unknown, Subject>,
    job: NewJob<Input, Subject>,
  ): Promise<string> {
    const isLeased = leaseTimer(this.#leaseMs);
    const id = await this.#store.insert(scope.trx, kind.rowsOf(job), this.#owner);
    scope.afterCommit(() => {
      this.#leases.leasedBy(this.#owner, id, isLeased).then(
        (items) => this.#worker.take(items),
        (error: unknown) =>
          this.#logger.error({ err: error }, 'leased items could not be read; their leases will expire'),
      );
    });
    return id;
  }

  /**
   * Returns true if the job ended before the deadline and before this process stopped. Otherwise returns false, and the
   * job continues.
   */
  async waitFor(jobId: string, deadlineMs: number): Promise<boolean> {
    if (this.#stopped) return this.#store.isDone(jobId);
    const limit = AbortSignal.timeout(deadlineMs);
    const done = once(this.#events, `done:${jobId}`, { signal: limit }).then(
      () => !this.#stopped || this.#store.isDone(jobId),
      () => false,
    );
    // Another process may end the job, so the rows are polled too.
    const polled = (async () => {
      while (!limit.aborted && !this.#stopped) {
        if (await this.#store.isDone(jobId)) return true;
        // This process is stopping and runs no item of the job. Another process will run the rest, and this call does
        // not wait for that.
        if (this.#stopping.signal.aborted && !this.#worker.holds(jobId)) {
          await this.#recorder.flush();
          return this.#store.isDone(jobId);
        }
        await sleep(this.#pollMs, undefined, { signal: limit }).catch(() => undefined);
      }
      return false;
    })();
    return Promise.race([done, polled]);
  }

  /** Cancels a job. Returns null if there is no such job, and false if it had ended. */
  async cancel(jobId: string): Promise<boolean | null> {
    const answer = await this.#store.cancel(jobId);
    if (answer) await this.#worker.dropCancelled([jobId]);
    return answer;
  }

  deleteExpired(): Promise<number> {
    return this.#store.deleteExpired();
  }

  stats(): { ready: number; running: number } {
    return this.#worker.stats();
  }

  /** `alone` is true if no other process uses this database. All stored leases are then those of an ended process. */
  async start({ alone = false }: { alone?: boolean } = {}): Promise<void> {
    if (alone) await this.#leases.takeOver(this.#owner);
    this.#delivery.start(this.#worker);
    this.#loops = [
      this.#every(this.#leaseMs / 3, () => this.#worker.keepLeases()),
      this.#every(this.#leaseMs, () => this.#store.settleCancelled()),
      ...[...this.#kinds.values()]
        .filter(({ keptForMs }) => keptForMs !== undefined)
        .map((kind) => this.#every(10 * MINUTE, () => this.#expire(kind))),
    ];
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const unbegun = this.#worker.close();
    await Promise.all([this.#delivery.stop(), ...this.#loops]);
    await this.#leases.release(this.#owner, unbegun);
    await this.#worker.drain(graceMs);
    this.#stopped = true;
    for (const name of this.#events.eventNames()) if (/^done:/.test(String(name))) this.#events.emit(name);
  }

  #limits(): Map<string, number> {
    return new Map(
      [...this.#kinds.values()].flatMap(({ name, maxRunning: atOnce }) => (atOnce ? [[name, atOnce()]] : [])),
    );
  }

  #every(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    return repeatUntilAborted({ everyMs, signal, logger: this.#logger, failure: DATABASE_UNREACHABLE }, work);
  }

  async #expire(kind: AnyJobKind): Promise<void> {
    while (!this.#stopping.signal.aborted && (await this.#store.deleteExpired(kind)) > 0) await sleep(100);
  }
}
