import { createHash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { MINUTE, type Clock } from '../shared/clock.ts';

/**
 * Counts failures per network in windows of a minute; only failing credentials are ever turned away by it.
 *
 * The counters are a table of fixed size that a secret spreads the networks over: it takes the same memory whoever
 * calls, and nobody can push out what is counted against him by calling from elsewhere. Two networks that share a
 * counter are counted together, which costs neither more than a failing credential costs.
 */
export class LoginFailures {
  static readonly COUNTERS = 2 ** 16;
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #secret = randomBytes(16);
  readonly #since = new Float64Array(LoginFailures.COUNTERS);
  readonly #counts = new Uint32Array(LoginFailures.COUNTERS);

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Records one failure; seconds to wait when there were too many, else null. */
  record(address: string): number | null {
    if (this.#limit === 0) return null;
    const now = this.#clock.now();
    const at = createHash('sha256').update(this.#secret).update(networkOf(address)).digest().readUInt16LE(0);
    let since = this.#since[at] ?? 0;
    if (now - since >= MINUTE) {
      this.#since[at] = since = now;
      this.#counts[at] = 0;
    }
    const count = (this.#counts[at] ?? 0) + 1;
    this.#counts[at] = count;
    return count > this.#limit ? Math.ceil((since + MINUTE - now) / 1000) : null;
  }
}

/**
 * One subscriber: an address of IPv4, mapped or not, or the /64 of one of IPv6, of which each has as many as he likes.
 */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
