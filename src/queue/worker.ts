import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseLostError, type Lease } from '../db/lease.ts';
import type { CredentialOwner } from '../shared/requester.ts';
import type { Clock } from '../shared/clock.ts';
import { isItemErrorCode } from '../shared/error-codes.ts';
import { DatabaseUnavailableError, DomainError } from '../shared/errors.ts';
import { nextEventLoopTurn } from '../shared/event-loop.ts';
import type { Logger } from '../shared/logger.ts';
import type { JobConsumer } from './delivery.ts';
import type { ItemLeaseStore } from './item-lease-store.ts';
import type { JobStore } from './job-store.ts';
import {
  PostponedItem,
  stateOfFault,
  ItemWithErrors,
  type EndOutcome,
  type ItemFault,
  type ItemOutcome,
  type LeasedItem,
} from './job.ts';
import type { AnyJobKind } from './job-kind.ts';
import type { OutcomeRecorder } from './outcome-recorder.ts';

export type ItemLimitCheck = (owner: CredentialOwner, siteId: number) => Promise<boolean>;

export interface WorkerOptions {
  store: JobStore;
  leases: ItemLeaseStore;
  recorder: OutcomeRecorder;
  clock: Clock;
  logger: Logger;
  owner: string;
  concurrency: number;
  kindOf: (name: string) => AnyJobKind | undefined;
  isWithinLimits: ItemLimitCheck;
  onFreeSlots: () => void;
}

interface RunningItem {
  item: LeasedItem;
  kind: AnyJobKind | undefined;
  ending: AbortController;
  /**
   * Why the calls of the item were aborted; null if they were not. Also null if the process stops and the kind lets its
   * items finish: its calls are aborted too, but the item reports its own outcome.
   */
  ended: 'cancelled' | 'stopped' | 'lost' | null;
}

export class Worker implements JobConsumer {
  readonly #options: WorkerOptions;
  #ready: LeasedItem[] = [];
  readonly #running = new Map<number, RunningItem>();
  readonly #releases = new Set<Promise<void>>();
  #closed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  stats(): { ready: number; running: number } {
    return { ready: this.#ready.length, running: this.#running.size };
  }

  freeSlots(): number {
    return this.#options.concurrency - this.#running.size - this.#ready.length;
  }

  reservedSlots(): number {
    return this.#windowOf({ isOnlyItem: true }) - this.#running.size - this.#ready.filter(isSingle).length;
  }

  holds(jobId: string): boolean {
    return this.#held().some((item) => item.jobId === jobId);
  }

  take(items: readonly LeasedItem[]): void {
    if (this.#closed) return this.#giveBack(items);
    const ready = [...this.#ready, ...items.filter((item) => !this.#isRunning(item))];
    this.#ready = [...ready.filter(isSingle), ...ready.filter((item) => !isSingle(item))];
    this.#fill();
  }

  async keepLeases(): Promise<void> {
    const { store, leases, recorder, owner } = this.#options;
    const held = [...this.#held(), ...recorder.unrecorded];
    if (held.length === 0) return;
    for (const item of await leases.renew(owner, held)) this.#dropLost(item);
    const droppable = [...this.#ready, ...this.#abortable().map(({ item }) => item)];
    await this.dropCancelled(await store.cancelledAmong([...new Set(droppable.map(({ jobId }) => jobId))]));
  }

  async dropCancelled(jobIds: readonly string[]): Promise<void> {
    if (jobIds.length === 0) return;
    const isCancelled = ({ jobId }: LeasedItem): boolean => jobIds.includes(jobId);
    const cancelled = this.#ready.filter(isCancelled);
    for (const item of cancelled) item.isCancelled = true;
    const dropped = cancelled.filter(({ kind, attempt }) => attempt === 1 || !this.#options.kindOf(kind)?.hasBegun);
    this.#ready = this.#ready.filter((item) => !dropped.includes(item));
    for (const running of this.#abortable()) if (isCancelled(running.item)) abortRunningItem(running, 'cancelled');
    for (const item of dropped) this.#options.recorder.add({ item, outcome: notBegunOutcome() });
    await this.#options.recorder.flush();
  }

  close(): LeasedItem[] {
    this.#closed = true;
    this.#options.recorder.close();
    const unbegun = this.#ready;
    this.#ready = [];
    return unbegun;
  }

  /** Waits up to `graceMs` for running items. Then aborts the calls of items that still run; their leases expire. */
  async drain(graceMs: number): Promise<void> {
    const { clock, recorder, logger } = this.#options;
    const until = clock.now() + graceMs;
    while (this.#running.size > 0 && clock.now() < until) await sleep(20);
    await Promise.all(this.#releases);
    await recorder.flush();
    if (this.#running.size === 0) return;
    logger.warn({ items: this.#running.size }, 'stopped before these items ended; they will be resumed');
    for (const running of this.#running.values()) abortRunningItem(running, 'stopped');
  }

  /**
   * If this process stalls for longer than a lease, it can get an item that it is still running. If no other process
   * had the item in the meantime, the running attempt continues with the new lease. Otherwise the attempt is aborted,
   * and the new lease expires.
   */
  #isRunning(item: LeasedItem): boolean {
    const running = this.#running.get(item.id);
    if (!running) return false;
    if (item.attempt === running.item.attempt + 1 && running.ended !== 'lost')
      Object.assign(running.item, { attempt: item.attempt, isLeased: item.isLeased });
    else this.#dropLost(running.item);
    return true;
  }

  #dropLost(item: LeasedItem): void {
    this.#ready = this.#ready.filter((each) => each !== item);
    const running = this.#running.get(item.id);
    if (running?.item === item) abortRunningItem(running, 'lost');
  }

  #held(): LeasedItem[] {
    return [...this.#ready, ...[...this.#running.values()].map(({ item }) => item)];
  }

  #abortable(): RunningItem[] {
    return [...this.#running.values()].filter(({ kind, ended }) => kind?.whenCancelled === 'abort' && ended === null);
  }

  /**
   * Returns the maximum number of running items. It is a quarter higher for the only item of a job, so that large jobs
   * with slow sites never delay it.
   */
  #windowOf({ isOnlyItem }: Pick<LeasedItem, 'isOnlyItem'>): number {
    const { concurrency } = this.#options;
    return isOnlyItem ? concurrency + Math.ceil(concurrency / 4) : concurrency;
  }

  #fill(): void {
    while (!this.#closed) {
      const [item] = this.#ready;
      if (!item || this.#running.size >= this.#windowOf(item)) break;
      this.#ready.shift();
      void this.#run({ item, kind: this.#options.kindOf(item.kind), ending: new AbortController(), ended: null });
    }
  }

  #giveBack(items: readonly LeasedItem[]): void {
    const { leases, owner, logger } = this.#options;
    const release = leases
      .release(owner, items)
      .catch((error: unknown) => logger.warn({ err: error }, 'leases could not be released; they will expire'))
      .finally(() => this.#releases.delete(release));
    this.#releases.add(release);
  }

  async #run(running: RunningItem): Promise<void> {
    const { item } = running;
    const { recorder, concurrency: window, onFreeSlots: onRoom } = this.#options;
    this.#running.set(item.id, running);
    // A claim can bring many items, and each does some synchronous work before it waits for its site. So each item
    // starts in its own turn of the event loop.
    await nextEventLoopTurn();
    if (this.#closed) {
      this.#giveBack([item]);
      this.#running.delete(item.id);
      return;
    }
    const outcome = await this.#outcomeOf(running);
    if (outcome) recorder.add({ item, outcome }, item.isOnlyItem || this.#running.size === 1);
    this.#running.delete(item.id);
    this.#fill();
    if (this.#ready.length === 0 && this.#running.size <= window / 2) onRoom();
  }

  #leaseOf(item: LeasedItem): Lease {
    const { leases, owner } = this.#options;
    return { confirm: () => leases.confirm(owner, item), lock: (trx) => leases.lock(trx, owner, item) };
  }

  /**
   * True if the limits of its owner allow the item. An item with a result is always allowed: it has changed its site
   * while that was allowed, and only waits to see the effect. If the owner has limits, an item without a site is not
   * allowed, unless its kind checks the limits itself.
   */
  async #isAllowed({ owner, siteId, result }: LeasedItem, { checksLimits }: AnyJobKind): Promise<boolean> {
    if (owner === null || result !== null || checksLimits) return true;
    return siteId !== null && (await this.#options.isWithinLimits(owner, siteId));
  }

  /** Records nothing: the process that has the item now reports its result. */
  #lostOutcome({ jobId: job, id: item }: LeasedItem): null {
    this.#options.logger.warn({ job, item }, 'an item was left to another process, because its lease has expired');
    return null;
  }

  async #outcomeOf(running: RunningItem): Promise<ItemOutcome | null> {
    const { item, kind, ending } = running;
    try {
      if (!kind) throw new Error(`There is no job kind with the name ${item.kind}.`);
      if (running.ended) ending.signal.throwIfAborted();
      const lease = this.#leaseOf(item);
      // The item has waited in this process. If the process stalled, the lease may have expired.
      if (!item.isLeased()) await lease.confirm();
      if (item.isCancelled && !(await hasBegun(item, kind))) return notBegunOutcome();
      if (!(await this.#isAllowed(item, kind)) && !(await hasBegun(item, kind))) return outsideOutcome(item);
      const answer = await kind.perform({ item, resumed: item.attempt > 1, signal: ending.signal, lease });
      return isLost(running) ? this.#lostOutcome(item) : toOutcome(answer, kind);
    } catch (error) {
      if (isLost(running) || error instanceof LeaseLostError) return this.#lostOutcome(item);
      if (running.ended === 'cancelled') return failedOutcome(cancelledFault('while this item was running'));
      if (running.ended === 'stopped') return null;
      if (error instanceof DatabaseUnavailableError) {
        this.#options.logger.warn(
          { err: error, job: item.jobId, item: item.id },
          'a job item was interrupted, because the database is not available; it will be resumed after its lease',
        );
        return null;
      }
      if (error instanceof DomainError && isItemErrorCode(error.code))
        return failedOutcome({ code: error.code, message: error.message });
      this.#options.logger.error(
        { err: error, job: item.jobId, item: item.id },
        'a job item failed with an internal error',
      );
      return failedOutcome({ code: 'svc_internal_error', message: 'Something went wrong on our side.' });
    }
  }
}

const isSingle = ({ isOnlyItem }: LeasedItem): boolean => isOnlyItem;

const isLost = ({ ended }: RunningItem): boolean => ended === 'lost';

function abortRunningItem(running: RunningItem, why: 'cancelled' | 'stopped' | 'lost'): void {
  if (why === 'lost') running.ended = why;
  else if (running.kind?.whenCancelled === 'abort') running.ended ??= why;
  running.ending.abort();
}

const cancelledFault = (when: string): ItemFault => ({
  code: 'svc_cancelled',
  message: `The job was cancelled ${when}.`,
});

const notBegunOutcome = (): EndOutcome => ({
  state: 'not_begun',
  fault: cancelledFault('before this item started'),
});

const hasBegun = async (item: LeasedItem, kind: AnyJobKind): Promise<boolean> =>
  item.attempt > 1 && (await kind.hasBegun?.(item)) === true;

/**
 * Returns the outcome of an item whose site is no longer within the limits of its owner. An interrupted earlier attempt
 * may have changed the site when it was, so the outcome is then unknown.
 */
const outsideOutcome = ({ attempt }: LeasedItem): EndOutcome => ({
  state: attempt > 1 ? 'unknown' : 'failed',
  fault: {
    code: attempt > 1 ? 'svc_outcome_unknown' : 'svc_outside_limits',
    message: 'The site is no longer within the limits of the credential that started the job.',
  },
});

const failedOutcome = (fault: ItemFault): EndOutcome => ({ state: stateOfFault(fault.code), fault });

function toOutcome(answer: unknown, kind: AnyJobKind): ItemOutcome {
  if (!(answer instanceof PostponedItem)) return toEndOutcome(answer, kind);
  const { at, result } = answer as PostponedItem;
  return { state: 'waiting', at, end: result === undefined ? null : toEndOutcome(result, kind) };
}

function toEndOutcome(answer: unknown, kind: AnyJobKind): EndOutcome {
  if (!(answer instanceof ItemWithErrors))
    return { state: 'succeeded', result: answer, verdict: kind.verdictOf(answer) };
  const { state, result, fault } = answer as ItemWithErrors;
  return { state, result, fault, verdict: kind.verdictOf(result) };
}
