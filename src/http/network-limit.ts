import { createHash, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { MINUTE, type Clock } from '../shared/clock.ts';

/**
 * Counts events per network in windows of one minute, such as failed logins.
 *
 * The counters are a table of fixed size, and a secret hash selects the counter of a network. So the memory does not
 * grow, and nobody can evict a counter by calling from other networks. The few networks that share a counter are
 * counted together.
 */
export class NetworkLimit {
  static readonly COUNTERS = 2 ** 16;
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #secret = randomBytes(16);
  readonly #since = new Float64Array(NetworkLimit.COUNTERS);
  readonly #counts = new Uint32Array(NetworkLimit.COUNTERS);

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts one event. Returns the seconds to wait if there were too many, else null. */
  record(address: string): number | null {
    if (this.#limit === 0) return null;
    const now = this.#clock.now();
    const at = createHash('sha256').update(this.#secret).update(subscriberNetworkOf(address)).digest().readUInt16LE(0);
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
 * Returns one value per subscriber: the IPv4 address (mapped or not), or the /64 network of an IPv6 address, because
 * one subscriber has all addresses of a /64.
 */
function subscriberNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
