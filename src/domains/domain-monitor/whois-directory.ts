import type { Knex } from 'knex';
import type { Outbound } from '../../outbound/outbound.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { hostName, zonesOf } from './domain-name.ts';
import { whoisAddress, whoisServersIn, type WhoisAddress } from './whois-address.ts';
import { askWhois } from './whois-client.ts';
import { WhoisServerRepository } from './whois-server-repository.ts';

/** Maximum age of an answer of the root server. */
const GOOD_FOR = 7 * DAY;
const REFERRAL = /^(?:refer|whois):[ \t]*(\S{1,253})[ \t]*$/im;

export interface WhoisDirectoryParts {
  knex: Knex;
  clock: Clock;
  outbound: Pick<Outbound, 'query'>;
  /** Lines of the setting `whois_servers`. */
  servers: () => readonly string[];
  /** Address of the WHOIS server that knows the server of every TLD. Empty if there is none. */
  root: () => string;
}

/** Finds the WHOIS server of a TLD in the settings, or else asks the root server. */
export class WhoisDirectory {
  readonly #parts: WhoisDirectoryParts;
  readonly #asking = new Map<string, Promise<string | null>>();

  constructor(parts: WhoisDirectoryParts) {
    this.#parts = parts;
  }

  /** Returns null if the TLD has no server. Throws the errors of `askWhois`. */
  async serverOf(name: string, deadlineMs: number): Promise<WhoisAddress | null> {
    const known = whoisServersIn(this.#parts.servers());
    const zones = zonesOf(name);
    const zone = [...zones, '*'].find((each) => known.has(each));
    if (zone !== undefined) return known.get(zone) ?? null;
    const tld = zones.at(-1);
    const root = whoisAddress(this.#parts.root());
    if (tld === undefined || !root) return null;
    const host = await this.#referred(tld, root, deadlineMs);
    return host === null ? null : whoisAddress(host);
  }

  /** Returns the host that the root server names for a TLD. Concurrent calls for a TLD share one request. */
  async #referred(tld: string, root: WhoisAddress, deadlineMs: number): Promise<string | null> {
    const { knex, clock } = this.#parts;
    const kept = await new WhoisServerRepository(knex).find(tld, clock.now() - GOOD_FOR);
    if (kept !== undefined) return kept;
    const asking = this.#asking.get(tld) ?? this.#ask(tld, root, deadlineMs).finally(() => this.#asking.delete(tld));
    this.#asking.set(tld, asking);
    return asking;
  }

  async #ask(tld: string, root: WhoisAddress, deadlineMs: number): Promise<string | null> {
    const { knex, clock, outbound } = this.#parts;
    const reply = await askWhois(outbound, root, tld, { deadlineMs });
    const [, referral = ''] = REFERRAL.exec(reply) ?? [];
    // Only a host is read from the reply, so that the network cannot choose the port.
    const host = hostName(referral.toLowerCase());
    await new WhoisServerRepository(knex).save(tld, host, clock.now());
    return host;
  }
}
