import { ChildUnreachableError } from '../shared/child-call-errors.ts';
import type { CircuitBreaker } from './breaker.ts';
import { Fifo } from './fifo.ts';
import { CallLimiter } from './call-limiter.ts';
import { CALL_KINDS, type CallKind, type ConnectorLimits } from './connector-limits.ts';
import type { AddressCalls, CallLine, CallSettlement, QueuedCall, ScheduledCall } from './queued-call.ts';
import { PerSiteQueue } from './per-site-queue.ts';

export interface SchedulerStats {
  waiting: number;
  running: number;
  broken: number;
}

export interface SchedulerOptions {
  limits: () => ConnectorLimits;
  breaker: CircuitBreaker;
  now?: () => number;
}

/**
 * Queue for all calls to sites.
 *
 * The kinds of call take turns, and so do the IP addresses within a kind. So neither many calls of one kind nor a host
 * with a thousand sites delays the rest. The next call is found in constant time: a `CallLine` whose address is at its
 * limit, and a call whose site is busy, are set aside until that changes. Limits are read at each dispatch, so that a
 * changed setting applies to the next call.
 */
export class Scheduler {
  readonly #limiter: CallLimiter;
  readonly #breaker: CircuitBreaker;
  readonly #sites = new PerSiteQueue();
  readonly #rings = new Map<CallKind, Fifo<CallLine>>(CALL_KINDS.map((kind) => [kind, new Fifo<CallLine>()]));
  readonly #addresses = new Map<string, AddressCalls>();
  #nextKind = 0;
  #waiting = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ limits, breaker, now = () => performance.now() }: SchedulerOptions) {
    this.#limiter = new CallLimiter(limits, now);
    this.#breaker = breaker;
  }

  schedule<T>(call: ScheduledCall<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal } = call;
      if (signal?.aborted) return reject(signal.reason as Error);
      const giveUp = (): void => this.#giveUp(queued, signal?.reason as Error);
      const queued: QueuedCall = {
        call,
        line: this.#lineOf(call.kind, call.ipKey),
        state: 'waiting',
        hasSite: false,
        stopListening: () => signal?.removeEventListener('abort', giveUp),
        settle: (outcome) => {
          queued.state = 'done';
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.value as T);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting += 1;
      if (this.#sites.blocks(queued)) this.#sites.hold(queued);
      else this.#enqueue(queued);
      this.#dispatch();
    });
  }

  stats(): SchedulerStats {
    return { waiting: this.#waiting, running: this.#limiter.running, broken: this.#breaker.pausedCount };
  }

  #enqueue(queued: QueuedCall): void {
    const { calls } = queued.line;
    if (queued.hasSite) calls.unshift(queued);
    else calls.push(queued);
    this.#place(queued.line);
  }

  #giveUp(queued: QueuedCall, error: Error): void {
    this.#waiting -= 1;
    queued.settle({ error });
  }

  #dispatch(): void {
    for (;;) {
      if (this.#limiter.refresh()) for (const address of this.#addresses.values()) this.#unpark(address);
      if (this.#waiting === 0 || this.#limiter.isFull) return;
      const pause = this.#limiter.pause;
      if (pause > 0) return this.#dispatchAfter(pause);
      const queued = this.#next();
      if (!queued) return;
      this.#start(queued);
    }
  }

  #dispatchAfter(ms: number): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#dispatch();
    }, Math.ceil(ms));
  }

  #next(): QueuedCall | null {
    for (let tries = 0; tries < CALL_KINDS.length; tries += 1) {
      const index = (this.#nextKind + tries) % CALL_KINDS.length;
      const kind = CALL_KINDS[index] as CallKind;
      const queued = this.#limiter.isKindFull(kind) ? null : this.#nextOf(kind);
      if (!queued) continue;
      this.#nextKind = (index + 1) % CALL_KINDS.length;
      return queued;
    }
    return null;
  }

  #nextOf(kind: CallKind): QueuedCall | null {
    const ring = this.#rings.get(kind);
    for (let line = ring?.shift(); line; line = ring?.shift()) {
      if (!this.#admitOrPark(line)) continue;
      line.isPlaced = false;
      const queued = this.#take(line);
      this.#place(line);
      if (queued) return queued;
      this.#removeIfIdle(line.address);
    }
    return null;
  }

  #admitOrPark(line: CallLine): boolean {
    const { address } = line;
    const pause = this.#limiter.pauseAt(address);
    if (!this.#limiter.isAddressFull(address) && pause <= 0) return true;
    address.parked.push(line);
    if (pause > 0) this.#wake(address, pause).ref();
    return false;
  }

  #take({ calls }: CallLine): QueuedCall | null {
    for (let queued = calls.shift(); queued; queued = calls.shift()) {
      if (queued.state === 'done') {
        if (queued.hasSite) this.#releaseSite(queued);
      } else if (this.#sites.blocks(queued)) this.#sites.hold(queued);
      else return queued;
    }
    return null;
  }

  #start(queued: QueuedCall): void {
    const { call, line } = queued;
    const { kind, siteId } = call;
    this.#waiting -= 1;
    queued.stopListening();
    // The circuit breaker may have paused the site while this call was waiting.
    const refusal = siteId === null || call.ignoresBreaker ? null : this.#breaker.errorFor(siteId);
    if (refusal) {
      queued.settle({ error: refusal });
      if (queued.hasSite) this.#releaseSite(queued);
      this.#removeIfIdle(line.address);
      return;
    }
    queued.state = 'running';
    this.#limiter.start(kind, line.address);
    this.#sites.occupy(queued);
    void this.#run(call).then((outcome) => {
      this.#limiter.end(kind, line.address);
      this.#releaseSite(queued);
      this.#unpark(line.address);
      this.#removeIfIdle(line.address);
      queued.settle(outcome);
      this.#dispatch();
    });
  }

  async #run(call: ScheduledCall<unknown>): Promise<CallSettlement> {
    const { siteId, signal } = call;
    try {
      if (call.admit) await call.admit();
    } catch (error) {
      return { error: error as Error };
    }
    try {
      const value = await call.run(signal);
      if (siteId !== null) this.#breaker.record(siteId, null);
      return { value };
    } catch (error) {
      if (siteId !== null && !signal?.aborted)
        this.#breaker.record(siteId, error instanceof ChildUnreachableError ? error : null);
      return { error: error as Error };
    }
  }

  #releaseSite(queued: QueuedCall): void {
    const next = this.#sites.release(queued);
    if (next) this.#enqueue(next);
  }

  #place(line: CallLine): void {
    if (line.isPlaced || line.calls.length === 0) return;
    line.isPlaced = true;
    this.#rings.get(line.kind)?.push(line);
  }

  #unpark(address: AddressCalls): void {
    for (const line of address.parked.splice(0)) {
      line.isPlaced = false;
      this.#place(line);
    }
  }

  #wake(address: AddressCalls, afterMs: number): NodeJS.Timeout {
    address.timer ??= setTimeout(() => {
      address.timer = null;
      this.#unpark(address);
      this.#removeIfIdle(address);
      this.#dispatch();
    }, Math.ceil(afterMs));
    return address.timer;
  }

  #removeIfIdle(address: AddressCalls): void {
    if (address.running > 0 || address.timer || address.parked.length > 0) return;
    for (const line of address.lines.values()) if (line.calls.length > 0 || line.isPlaced) return;
    const pause = this.#limiter.untilNext(address);
    if (pause > 0) this.#wake(address, pause).unref();
    else if (this.#addresses.get(address.key) === address) this.#addresses.delete(address.key);
  }

  #lineOf(kind: CallKind, key: string): CallLine {
    let address = this.#addresses.get(key);
    if (!address) {
      address = { key, running: 0, nextAt: 0, lines: new Map(), parked: [], timer: null };
      this.#addresses.set(key, address);
    }
    let line = address.lines.get(kind);
    if (!line) address.lines.set(kind, (line = { kind, address, calls: new Fifo(), isPlaced: false }));
    return line;
  }
}
