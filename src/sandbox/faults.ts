import type { Outage } from './outages.ts';
import { randomFrom, type Random } from './state/random.ts';

/**
 * Faults between a dashboard and a site (protocol 7.12), which tests switch on. `site.fault` applies until it is
 * removed; `site.faultQueue` applies one fault to each request. A fault can be limited to one function and to a number
 * of requests.
 */
export type FaultSpec =
  | Outage
  /** Resets the connection immediately, without sending a byte. */
  | { kind: 'refuse' }
  /** Sends no response. The connection is reset when `until` resolves, or never. */
  | { kind: 'hang'; until?: Promise<void> }
  /** Sends the real response slowly: `bytes` (default 16) every `everyMs` (default 100). */
  | { kind: 'drip'; bytes?: number; everyMs?: number }
  /** Executes the call only after `ms` or when `until` resolves, and then sends the real response at once. */
  | { kind: 'delay'; ms: number | { until: Promise<void> } }
  /** Executes the call at once, and sends the response after `ms`. */
  | { kind: 'late'; ms: number }
  | { kind: 'redirect'; status: 301 | 302 | 303 | 307 | 308; location: string }
  | { kind: 'basic'; user: string; password: string }
  /** Returns the challenge page of a firewall. Default status: 403. */
  | { kind: 'challenge'; status?: number; body?: string }
  /** Returns status 500 without a frame (`<mainwp>…</mainwp>`), before or after the call is executed. */
  | { kind: 'fatal'; when: 'before' | 'after' }
  /**
   * The gateway gives up after `giveUpMs` (default 0), but PHP continues and finishes the call after `doneMs`. An
   * update has sent its headers by then, so its response is a 200 that is cut off before the body. Other functions get
   * a 504. With `leavesMaintenance`, PHP ends at its first output because the caller has hung up, as on web servers
   * that tell PHP about this: the update of an active plugin is done, but the site stays in maintenance mode.
   */
  | { kind: 'goes-on'; doneMs: number; giveUpMs?: number; leavesMaintenance?: true }
  /** Cuts the real response off after `bytes` (default: half of it), although `Content-Length` announces all of it. */
  | { kind: 'cut'; bytes?: number }
  /** Sends this number of bytes of noise before the real response. */
  | { kind: 'huge'; bytes: number }
  | { kind: 'invalid-base64' }
  | { kind: 'invalid-json' }
  /** The frame (`<mainwp>…</mainwp>`) contains this JSON value instead of an object. */
  | { kind: 'scalar'; value: string | number | boolean | null }
  | { kind: 'two-frames'; forged: unknown }
  /** Executes the call but sends this value in the frame instead of the real response. */
  | { kind: 'forged'; answer: unknown }
  /** Compresses the real response although the client does not accept that. */
  | { kind: 'gzip' }
  | { kind: 'noise'; text: string }
  | { kind: 'raw'; status: number; body: string; headers?: Record<string, string> };

export type IntermittentFault =
  | { kind: 'flapping'; lost?: number; through?: number }
  /** Resets the fraction `share` of the connections, chosen at random. The same seed resets the same connections. */
  | { kind: 'drops'; share: number; seed?: number };

export type Fault = (FaultSpec | IntermittentFault) & {
  /** Name of a child function. Default: all requests to the site, including the front page. */
  function?: string;
  path?: string;
  /** Number of requests that get the fault. Default: 1 in the queue, otherwise unlimited. */
  times?: number;
};

export class FaultSwitch {
  fault: Fault | null = null;
  /**
   * Faults that are used up by requests. They are checked before `fault`, and each request uses the first entry that
   * matches.
   */
  readonly queue: Fault[] = [];
  #used = new WeakMap<Fault, number>();
  #matches = new WeakMap<Fault, number>();
  #randoms = new WeakMap<Fault, Random>();

  take(name: string, path: string): FaultSpec | null {
    const at = this.queue.findIndex((fault) => isFaultForRequest(fault, name, path));
    const queued = this.queue[at];
    if (queued !== undefined) {
      if (this.#count(queued) >= (queued.times ?? 1)) this.queue.splice(at, 1);
      return this.#resolveIntermittent(queued);
    }
    const { fault } = this;
    if (fault === null || !isFaultForRequest(fault, name, path)) return null;
    if (fault.times !== undefined && this.#count(fault) > fault.times) return null;
    return this.#resolveIntermittent(fault);
  }

  #resolveIntermittent(fault: Fault): FaultSpec | null {
    if (fault.kind === 'flapping') {
      const { lost = 1, through = 1 } = fault;
      const met = this.#matches.get(fault) ?? 0;
      this.#matches.set(fault, met + 1);
      return met % (lost + through) < lost ? { kind: 'refuse' } : null;
    }
    if (fault.kind === 'drops') {
      const chances = this.#randoms.get(fault) ?? randomFrom(fault.seed ?? 1, 0);
      this.#randoms.set(fault, chances);
      return chances.chance(fault.share) ? { kind: 'refuse' } : null;
    }
    return fault;
  }

  #count(fault: Fault): number {
    const used = (this.#used.get(fault) ?? 0) + 1;
    this.#used.set(fault, used);
    return used;
  }
}

function isFaultForRequest(fault: Fault, name: string, path: string): boolean {
  return (fault.function ?? name) === name && (fault.path ?? path) === path;
}
