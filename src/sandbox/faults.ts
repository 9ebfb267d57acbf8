import type { Outage } from './outages.ts';
import { randomFrom, type Random } from './state/random.ts';

/**
 * What can go wrong between a dashboard and a site (protocol 7.12), switched on by a test: `site.fault` holds until
 * taken away, `site.faultQueue` gives one to each request in turn. A fault may be limited to one function and to a
 * number of times.
 */
export type Trouble =
  | Outage
  /** The connection is reset at once, without a byte. */
  | { kind: 'refuse' }
  /** No answer ever; the connection ends once `until` is over. */
  | { kind: 'hang'; until?: Promise<void> }
  /** The true answer, `bytes` (default 16) every `everyMs` (default 100). */
  | { kind: 'drip'; bytes?: number; everyMs?: number }
  /** The true answer, later: its first byte comes after `ms` or once `until` is over, the rest at once. */
  | { kind: 'delay'; ms: number | { until: Promise<void> } }
  | { kind: 'redirect'; status: 301 | 302 | 303 | 307 | 308; location: string }
  /** 401 unless the request has these Basic credentials. */
  | { kind: 'basic'; user: string; password: string }
  /** The page of a firewall, default status 403. */
  | { kind: 'challenge'; status?: number; body?: string }
  /** 500 without a frame, before the work was done or after it. */
  | { kind: 'fatal'; when: 'before' | 'after' }
  /**
   * The gateway gives up after `giveUpMs` (default at once), and PHP goes on: the work is done after `doneMs`. Updates
   * have printed something by then, so their answer is an empty 200 that is cut; what prints nothing before its end
   * gets a 504.
   */
  | { kind: 'goes-on'; doneMs: number; giveUpMs?: number }
  /** The true answer breaks off after `bytes` (default half of it), though more was promised. */
  | { kind: 'cut'; bytes?: number }
  /** The true answer behind this many bytes of noise. */
  | { kind: 'huge'; bytes: number }
  /** The frame's text is no base64. */
  | { kind: 'invalid-base64' }
  /** The frame holds base64 of a text that is no JSON. */
  | { kind: 'invalid-json' }
  /** The frame holds this JSON value instead of an object. */
  | { kind: 'scalar'; value: string | number | boolean | null }
  /** A forged frame before the true one. */
  | { kind: 'two-frames'; forged: unknown }
  /** The frame holds this instead of the true answer; the work was done. */
  | { kind: 'forged'; answer: unknown }
  /** The true answer, compressed although nobody asked. */
  | { kind: 'gzip' }
  /** The true answer behind this text, as other plugins print it. */
  | { kind: 'noise'; text: string }
  /** Exactly this, nothing done. */
  | { kind: 'raw'; status: number; body: string; headers?: Record<string, string> };

/** What comes and goes by itself: some requests are cut without a byte, the others get through. */
export type Unsteady =
  /** So many requests in a row are lost, then so many get through, and so on; one each unless given. */
  | { kind: 'flapping'; lost?: number; through?: number }
  /** Connections drop by chance, this share of them; the same seed drops the same ones. */
  | { kind: 'drops'; share: number; seed?: number };

export type Fault = (Trouble | Unsteady) & {
  /** Only requests of this function; without it every request to the site, its front page included. */
  function?: string;
  /** Only requests at this path of the site. */
  path?: string;
  /** Only so many times; without it until it is taken away. */
  times?: number;
};

export class FaultSwitch {
  /** Holds for every request it fits. */
  fault: Fault | null = null;
  /** Each fitting request takes one (an entry with `times` stays for so many), before `fault` is looked at. */
  readonly queue: Fault[] = [];
  #used = new WeakMap<Fault, number>();
  #met = new WeakMap<Fault, number>();
  #chances = new WeakMap<Fault, Random>();

  /** The fault for a request of this function, counted as used. */
  take(name: string, path: string): Trouble | null {
    const at = this.queue.findIndex((fault) => fits(fault, name, path));
    const queued = this.queue[at];
    if (queued !== undefined) {
      if (this.#count(queued) >= (queued.times ?? 1)) this.queue.splice(at, 1);
      return this.#now(queued);
    }
    const { fault } = this;
    if (fault === null || !fits(fault, name, path)) return null;
    if (fault.times !== undefined && this.#count(fault) > fault.times) return null;
    return this.#now(fault);
  }

  /** What a fault is for this request. */
  #now(fault: Fault): Trouble | null {
    if (fault.kind === 'flapping') {
      const { lost = 1, through = 1 } = fault;
      const met = this.#met.get(fault) ?? 0;
      this.#met.set(fault, met + 1);
      return met % (lost + through) < lost ? { kind: 'refuse' } : null;
    }
    if (fault.kind === 'drops') {
      const chances = this.#chances.get(fault) ?? randomFrom(fault.seed ?? 1, 0);
      this.#chances.set(fault, chances);
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

function fits(fault: Fault, name: string, path: string): boolean {
  return (fault.function ?? name) === name && (fault.path ?? path) === path;
}
