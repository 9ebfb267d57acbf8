import { EventEmitter, once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { HOUR, SECOND, type Clock } from '../shared/clock.ts';
import { ownTurn } from '../shared/lanes.ts';
import { DatabaseUnavailableError, DomainError, isItemErrorCode } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { Scope } from '../db/transaction.ts';
import { JobStore } from './job-store.ts';
import {
  NothingButErrors,
  Postponed,
  type FinishedItem,
  type ItemOutcome,
  type LeasedItem,
  type NewJobRows,
} from './job.ts';
import type { AnyJobKind, JobKind, NewJob, SubjectType } from './kind.ts';

export interface QueueOptions {
  knex: Knex;
  clock: Clock;
  logger: Logger;
  /** Items that run side by side in this process; the connector's limits rule below it. */
  window?: number;
  leaseMs?: number;
  /** How often to look for work that others queued. */
  pollMs?: number;
}

/** Outcomes are recorded together when several end within this time: one transaction instead of many. */
const RECORD_AFTER_MS = 10;
const RECORD_AT = 64;
const RECORD_AGAIN_MS = SECOND;

/**
 * Does queued work by lease: any number of processes on one database share the items, a killed one loses nothing, and
 * what it had begun is begun again by another with `resumed` set.
 */
export class Queue {
  readonly #store: JobStore;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #window: number;
  readonly #leaseMs: number;
  readonly #pollMs: number;
  /** One per process and start: a restarted process does not take its former self for itself. */
  readonly #owner = `w-${randomUUID()}`;
  readonly #kinds = new Map<string, AnyJobKind>();
  readonly #events = new EventEmitter().setMaxListeners(0);
  /** Leased, not begun. */
  #ready: LeasedItem[] = [];
  readonly #running = new Map<number, LeasedItem>();
  readonly #stopping = new AbortController();
  #stopped = false;
  #finished: FinishedItem[] = [];
  #recordTimer: NodeJS.Timeout | null = null;
  #recording: Promise<void> = Promise.resolve();
  #loops: Promise<void>[] = [];

  constructor({ knex, clock, logger, window = 64, leaseMs = 30 * SECOND, pollMs = SECOND }: QueueOptions) {
    this.#store = new JobStore(knex, clock, leaseMs);
    this.#logger = logger;
    this.#clock = clock;
    this.#window = window;
    this.#leaseMs = leaseMs;
    this.#pollMs = pollMs;
  }

  register(...kinds: AnyJobKind[]): void {
    for (const kind of kinds) {
      if (this.#kinds.has(kind.name)) throw new Error(`Two kinds of jobs go by the name ${kind.name}.`);
      this.#kinds.set(kind.name, kind);
    }
  }

  /** The kinds of jobs that are done here. */
  get kinds(): string[] {
    return [...this.#kinds.keys()];
  }

  /** Queues a job for whichever process comes first. */
  enqueue<Input, Subject extends SubjectType>(
    scope: Scope,
    kind: JobKind<Input, unknown, Subject>,
    job: NewJob<Input, Subject>,
  ): Promise<string> {
    return this.enqueueRows(scope, kind.rowsOf(job));
  }

  /** The same for a job that is made of the rows of another. */
  async enqueueRows(scope: Scope, job: NewJobRows): Promise<string> {
    const id = await this.#store.insert(scope.trx, job, null);
    scope.afterCommit(() => (job.notBefore === undefined ? this.#events.emit('kick') : this.#kickAt(job.notBefore)));
    return id;
  }

  /** Records a job and begins it here at once, without the detour of a claim. */
  async begin<Input, Subject extends SubjectType>(
    scope: Scope,
    kind: JobKind<Input, unknown, Subject>,
    job: NewJob<Input, Subject>,
  ): Promise<string> {
    const id = await this.#store.insert(scope.trx, kind.rowsOf(job), this.#owner);
    scope.afterCommit(() => {
      this.#store.leasedBy(this.#owner, id).then(
        (items) => {
          this.#ready.push(...items);
          this.#fill();
        },
        (error: unknown) =>
          this.#logger.error({ err: error }, 'leased items could not be read; their lease will run out'),
      );
    });
    return id;
  }

  /** True when the job was done before the deadline and before this process ended its work. Neither stops the job. */
  async waitFor(jobId: string, deadlineMs: number): Promise<boolean> {
    if (this.#stopped) return this.#store.isDone(jobId);
    const limit = AbortSignal.timeout(deadlineMs);
    const done = once(this.#events, `done:${jobId}`, { signal: limit }).then(
      () => !this.#stopped || this.#store.isDone(jobId),
      () => false,
    );
    // Another process may end it, so the rows are asked as well.
    const polled = (async () => {
      while (!limit.aborted && !this.#stopped) {
        if (await this.#store.isDone(jobId)) return true;
        // What is left is done by another process, and nobody waits here for that.
        if (this.#stopping.signal.aborted && !this.#holds(jobId)) {
          await this.#flush();
          return this.#store.isDone(jobId);
        }
        await sleep(this.#pollMs, undefined, { signal: limit }).catch(() => undefined);
      }
      return false;
    })();
    return Promise.race([done, polled]);
  }

  #holds(jobId: string): boolean {
    return [...this.#ready, ...this.#running.values()].some((item) => item.jobId === jobId);
  }

  /** Null when there is no such job, false when it had finished already. */
  async cancel(jobId: string): Promise<boolean | null> {
    const answer = await this.#store.cancel(jobId);
    if (answer) await this.#dropCancelled([jobId]);
    return answer;
  }

  stats(): { ready: number; running: number } {
    return { ready: this.#ready.length, running: this.#running.size };
  }

  /** Starts to work on what waits. `alone` says that no other process works on this database. */
  async start({ alone = false }: { alone?: boolean } = {}): Promise<void> {
    if (alone) await this.#store.takeOver(this.#owner);
    const { signal } = this.#stopping;
    this.#loops = [
      this.#every(this.#pollMs, signal, () => this.#claim(), true),
      this.#every(this.#leaseMs / 3, signal, () => this.#keep()),
      this.#every(this.#leaseMs, signal, () => this.#store.settleCancelled()),
      this.#every(HOUR, signal, () => this.#expire()),
    ];
  }

  /** Stops to claim, gives back what has not begun, and waits for what has, up to `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const unbegun = this.#ready;
    this.#ready = [];
    await Promise.all(this.#loops);
    await this.#store.release(this.#owner, unbegun);
    const until = this.#clock.now() + graceMs;
    while (this.#running.size > 0 && this.#clock.now() < until) await sleep(20);
    await this.#flush();
    await this.#recording;
    this.#stopped = true;
    // Nobody here gets any further with what is left.
    for (const name of this.#events.eventNames()) if (/^done:/.test(String(name))) this.#events.emit(name);
    if (this.#running.size > 0)
      this.#logger.warn({ items: this.#running.size }, 'stopped before these items ended; they will be resumed');
  }

  async #every(ms: number, signal: AbortSignal, work: () => Promise<void>, kicked = false): Promise<void> {
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        this.#logger.error({ err: error }, 'the queue could not reach its rows; it tries again');
      }
      const pause = new AbortController();
      const either = AbortSignal.any([signal, pause.signal]);
      const waits = [sleep(ms, undefined, { signal: either }).catch(() => undefined)];
      if (kicked)
        waits.push(
          once(this.#events, 'kick', { signal: either }).then(
            () => undefined,
            () => undefined,
          ),
        );
      await Promise.race(waits);
      pause.abort();
    }
  }

  async #claim(): Promise<void> {
    const free = this.#window - this.#running.size - this.#ready.length;
    // A claim for a handful costs as much as one for many.
    if (free < Math.max(1, this.#window / 4)) return;
    const items = await this.#store.claim(this.#owner, free);
    if (this.#stopping.signal.aborted) {
      await this.#store.release(this.#owner, items);
      return;
    }
    // After a stall longer than a lease an item can come back that still runs here.
    this.#ready.push(...items.filter(({ id }) => !this.#running.has(id)));
    this.#fill();
  }

  #fill(): void {
    while (this.#running.size < this.#window && !this.#stopping.signal.aborted) {
      const item = this.#ready.shift();
      if (!item) break;
      this.#running.set(item.id, item);
      void this.#run(item);
    }
  }

  async #run(item: LeasedItem): Promise<void> {
    // A claim brings many items, and each has something to read before it can wait for its site.
    await ownTurn();
    const outcome = await this.#outcomeOf(item);
    this.#finish({ item, outcome });
    this.#running.delete(item.id);
    this.#fill();
    if (this.#ready.length === 0 && this.#running.size <= this.#window / 2) this.#events.emit('kick');
  }

  async #outcomeOf(item: LeasedItem): Promise<ItemOutcome> {
    const kind = this.#kinds.get(item.kind);
    try {
      if (!kind) throw new Error(`No kind of jobs goes by the name ${item.kind}.`);
      const signal = this.#stopping.signal;
      const result = await kind.perform({ item, resumed: item.attempt > 1, signal });
      if (result instanceof Postponed) return { state: 'waiting', ...result };
      if (!(result instanceof NothingButErrors)) return { state: 'succeeded', result };
      const { reason } = result;
      const errors: unknown = result.result;
      return item.alone ? { state: 'failed', ...reason, result: errors } : { state: 'succeeded', result: errors };
    } catch (error) {
      if (error instanceof DomainError && isItemErrorCode(error.code))
        return { state: 'failed', code: error.code, message: error.message };
      this.#logger.error({ err: error, job: item.jobId, item: item.id }, 'an item failed on our side');
      return { state: 'failed', code: 'svc_internal_error', message: 'Something went wrong on our side.' };
    }
  }

  #finish(finished: FinishedItem): void {
    this.#finished.push(finished);
    if (this.#finished.length >= RECORD_AT) void this.#flush();
    else this.#recordTimer ??= setTimeout(() => void this.#flush(), RECORD_AFTER_MS);
  }

  #flush(): Promise<void> {
    if (this.#recordTimer) clearTimeout(this.#recordTimer);
    this.#recordTimer = null;
    const batch = this.#finished;
    this.#finished = [];
    if (batch.length > 0)
      this.#recording = this.#recording.then(async () => {
        try {
          for (const jobId of await this.#store.record(this.#owner, batch)) this.#events.emit(`done:${jobId}`);
          for (const { outcome } of batch) if (outcome.state === 'waiting') this.#kickAt(outcome.at);
        } catch (error) {
          if (this.#keepForLater(error, batch)) return;
          this.#logger.error(
            { err: error, items: batch.length },
            'outcomes could not be recorded; their leases will run out',
          );
        }
      });
    return this.#recording;
  }

  /** The next look at the rows would come late for an item that waits for less than that. */
  #kickAt(at: number): void {
    setTimeout(() => this.#events.emit('kick'), Math.max(0, at - this.#clock.now())).unref();
  }

  /**
   * What is known is not thrown away because the database is: it is recorded once it is back, if the lease still
   * stands.
   */
  #keepForLater(error: unknown, batch: FinishedItem[]): boolean {
    if (!(error instanceof DatabaseUnavailableError) || this.#stopping.signal.aborted) return false;
    this.#finished.unshift(...batch);
    this.#recordTimer ??= setTimeout(() => void this.#flush(), RECORD_AGAIN_MS);
    return true;
  }

  async #keep(): Promise<void> {
    const unrecorded = this.#finished.map(({ item }) => item);
    const held = [...this.#ready, ...this.#running.values(), ...unrecorded];
    if (held.length === 0) return;
    await this.#store.renew(this.#owner, held);
    const jobs = [...new Set(this.#ready.map(({ jobId }) => jobId))];
    await this.#dropCancelled(await this.#store.cancelledAmong(jobs));
  }

  async #dropCancelled(jobIds: string[]): Promise<void> {
    if (jobIds.length === 0) return;
    const dropped = this.#ready.filter(({ jobId }) => jobIds.includes(jobId));
    this.#ready = this.#ready.filter(({ jobId }) => !jobIds.includes(jobId));
    for (const item of dropped)
      this.#finish({
        item,
        outcome: {
          state: 'cancelled',
          code: 'svc_cancelled',
          message: 'The job was cancelled before this item began.',
        },
      });
    await this.#flush();
  }

  async #expire(): Promise<void> {
    while (!this.#stopping.signal.aborted && (await this.#store.deleteExpired()) > 0) await sleep(100);
  }
}
