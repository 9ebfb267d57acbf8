import { ChildUnreachableError } from '../shared/errors.ts';
import type { CircuitBreaker } from './breaker.ts';
import { Fifo } from './fifo.ts';
import { CALL_KINDS, limitOfKind, type CallKind, type ConnectorLimits } from './limits.ts';

export interface ScheduledCall<T> {
  /** Null for a site without a record: then neither order nor breaker of a site apply. */
  siteId: number | null;
  /** The address that is dialled; calls to one address share its limit. */
  ipKey: string;
  kind: CallKind;
  /** Goes out although the site is being paused. */
  insists?: boolean;
  run: (signal?: AbortSignal) => Promise<T>;
  /** Gives up waiting, and is passed on to `run`. */
  signal?: AbortSignal;
}

export interface SchedulerStats {
  waiting: number;
  running: number;
  /** Sites that are paused by the circuit breaker. */
  broken: number;
}

export interface Scheduler {
  schedule<T>(call: ScheduledCall<T>): Promise<T>;
  stats(): SchedulerStats;
}

interface Job {
  call: ScheduledCall<unknown>;
  lane: Lane;
  /** Given up; it is skipped when its turn comes. */
  gone: boolean;
  /** Waited for its site and is the next of it. */
  chosen: boolean;
  stopWaiting: () => void;
  settle: (outcome: { value: unknown } | { error: Error }) => void;
}

/**
 * Waiting calls of one kind to one address. A lane is either in the ring of its kind, or parked at its address, or
 * empty.
 */
interface Lane {
  kind: CallKind;
  ip: IpState;
  jobs: Fifo<Job>;
  placed: boolean;
}

interface IpState {
  key: string;
  running: number;
  nextAt: number;
  lanes: Map<CallKind, Lane>;
  parked: Lane[];
  timer: NodeJS.Timeout | null;
}

/** A site with a running call, or with one that was chosen to run next. */
interface SiteState {
  running: boolean;
  queue: Fifo<Job>;
}

/**
 * One queue in front of all calls to sites.
 *
 * Kinds take turns, and within a kind the addresses do, so that neither a large sweep nor a host with a thousand sites
 * holds up the rest. A call to start is found in constant time: a lane whose address is at its limit, and a job whose
 * site is busy, are put aside until that changes, never walked over. Limits are read at each dispatch, so that a
 * changed setting rules the next call.
 */
export function createScheduler(options: {
  limits: () => ConnectorLimits;
  breaker: CircuitBreaker;
  /** Monotonic milliseconds. */
  now?: () => number;
}): Scheduler {
  const { limits, breaker } = options;
  const now = options.now ?? (() => performance.now());
  const rings = new Map(CALL_KINDS.map((kind) => [kind, { ring: new Fifo<Lane>(), running: 0 }]));
  const ips = new Map<string, IpState>();
  /** Busy sites only. */
  const sites = new Map<number, SiteState>();
  let turn = 0;
  let waiting = 0;
  let running = 0;
  let nextAt = 0;
  let timer: NodeJS.Timeout | null = null;
  let lastIpLimit = 0;

  function enter(job: Job, first = false): void {
    const { lane } = job;
    if (first) lane.jobs.unshift(job);
    else lane.jobs.push(job);
    place(lane);
  }

  function place(lane: Lane): void {
    if (lane.placed || lane.jobs.length === 0) return;
    lane.placed = true;
    rings.get(lane.kind)?.ring.push(lane);
  }

  function unpark(ip: IpState): void {
    for (const lane of ip.parked.splice(0)) {
      lane.placed = false;
      place(lane);
    }
  }

  /** True when the address may be called now; otherwise the lane is put aside until it may. */
  function admits(lane: Lane, limit: ConnectorLimits): boolean {
    const { ip } = lane;
    const wait = limit.minimumIpDelayMs > 0 ? ip.nextAt - now() : 0;
    if (ip.running < limit.maximumIpRequests && wait <= 0) return true;
    ip.parked.push(lane);
    if (wait > 0) {
      ip.timer ??= setTimeout(() => {
        ip.timer = null;
        unpark(ip);
        pump();
      }, Math.ceil(wait));
    }
    return false;
  }

  /** The next job of this lane that may start; jobs of busy sites move to the queue of their site. */
  function take(lane: Lane): Job | null {
    for (let job = lane.jobs.shift(); job; job = lane.jobs.shift()) {
      const site = job.call.siteId === null ? undefined : sites.get(job.call.siteId);
      if (job.gone) {
        if (job.chosen) passOn(job);
      } else if (!site || job.chosen) return job;
      else site.queue.push(job);
    }
    return null;
  }

  function next(limit: ConnectorLimits): Job | null {
    for (let tries = 0; tries < CALL_KINDS.length; tries += 1) {
      const kind = CALL_KINDS[(turn + tries) % CALL_KINDS.length] as CallKind;
      const state = rings.get(kind);
      if (!state || state.running >= limitOfKind(kind, limit)) continue;
      for (let lane = state.ring.shift(); lane; lane = state.ring.shift()) {
        if (!admits(lane, limit)) continue;
        lane.placed = false;
        const job = take(lane);
        place(lane);
        if (!job) {
          tidy(lane.ip);
          continue;
        }
        turn = (turn + tries + 1) % CALL_KINDS.length;
        return job;
      }
    }
    return null;
  }

  function pump(): void {
    for (;;) {
      const limit = limits();
      if (limit.maximumIpRequests > lastIpLimit) for (const ip of ips.values()) unpark(ip);
      lastIpLimit = limit.maximumIpRequests;
      if (waiting === 0 || running >= limit.maximumRequests) return;
      const wait = limit.minimumDelayMs > 0 ? nextAt - now() : 0;
      if (wait > 0) {
        timer ??= setTimeout(() => {
          timer = null;
          pump();
        }, Math.ceil(wait));
        return;
      }
      const job = next(limit);
      if (!job) return;
      start(job, limit);
    }
  }

  function start(job: Job, limit: ConnectorLimits): void {
    const { call, lane } = job;
    waiting -= 1;
    job.stopWaiting();
    // The site may have been found dead while this call was waiting.
    const refusal = call.siteId === null || call.insists ? null : breaker.refusal(call.siteId);
    if (refusal) {
      job.settle({ error: refusal });
      if (job.chosen) passOn(job);
      tidy(lane.ip);
      return;
    }
    running += 1;
    lane.ip.running += 1;
    const state = rings.get(call.kind);
    if (state) state.running += 1;
    nextAt = now() + limit.minimumDelayMs;
    lane.ip.nextAt = now() + limit.minimumIpDelayMs;
    if (call.siteId !== null) {
      const site = sites.get(call.siteId);
      if (site) site.running = true;
      else sites.set(call.siteId, { running: true, queue: new Fifo() });
    }
    void execute(call).then((outcome) => {
      running -= 1;
      lane.ip.running -= 1;
      if (state) state.running -= 1;
      passOn(job);
      unpark(lane.ip);
      tidy(lane.ip);
      job.settle(outcome);
      pump();
    });
  }

  async function execute(call: ScheduledCall<unknown>): Promise<{ value: unknown } | { error: Error }> {
    try {
      const value = await call.run(call.signal);
      if (call.siteId !== null) breaker.record(call.siteId, null);
      return { value };
    } catch (error) {
      if (call.siteId !== null && !call.signal?.aborted) {
        breaker.record(call.siteId, error instanceof ChildUnreachableError ? error : null);
      }
      return { error: error as Error };
    }
  }

  /** The site of this job is free: the next that waits for it goes to the front of its lane. */
  function passOn({ call: { siteId } }: Job): void {
    const site = siteId === null ? undefined : sites.get(siteId);
    if (!site || siteId === null) return;
    site.running = false;
    for (let job = site.queue.shift(); job; job = site.queue.shift()) {
      if (job.gone) continue;
      job.chosen = true;
      return enter(job, true);
    }
    sites.delete(siteId);
  }

  function tidy(ip: IpState): void {
    if (ip.running > 0 || ip.timer || ip.parked.length > 0) return;
    for (const lane of ip.lanes.values()) if (lane.jobs.length > 0 || lane.placed) return;
    const wait = ip.nextAt - now();
    if (wait <= 0) {
      if (ips.get(ip.key) === ip) ips.delete(ip.key);
      return;
    }
    ip.timer = setTimeout(() => {
      ip.timer = null;
      unpark(ip);
      tidy(ip);
      pump();
    }, Math.ceil(wait)).unref();
  }

  function laneOf(kind: CallKind, key: string): Lane {
    let ip = ips.get(key);
    if (!ip) ips.set(key, (ip = { key, running: 0, nextAt: 0, lanes: new Map(), parked: [], timer: null }));
    let lane = ip.lanes.get(kind);
    if (!lane) ip.lanes.set(kind, (lane = { kind, ip, jobs: new Fifo(), placed: false }));
    return lane;
  }

  return {
    schedule<T>(call: ScheduledCall<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const { signal, siteId } = call;
        if (signal?.aborted) return reject(signal.reason as Error);
        const job: Job = {
          call,
          lane: laneOf(call.kind, call.ipKey),
          gone: false,
          chosen: false,
          stopWaiting: () => signal?.removeEventListener('abort', onAbort),
          settle: (outcome) => {
            if ('error' in outcome) reject(outcome.error);
            else resolve(outcome.value as T);
          },
        };
        const onAbort = (): void => {
          job.gone = true;
          waiting -= 1;
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        waiting += 1;
        const site = siteId === null ? undefined : sites.get(siteId);
        if (site) site.queue.push(job);
        else enter(job);
        pump();
      });
    },
    stats: () => ({ waiting, running, broken: breaker.broken }),
  };
}
