import type { Knex } from 'knex';
import type { Outbound } from '../../outbound/outbound.ts';
import { DAY, type Clock } from '../../shared/clock.ts';
import { hostName, zonesOf } from './domain-name.ts';
import { whoisAddress, whoisServersIn, type WhoisAddress } from './whois-address.ts';
import { askWhois } from './whois-client.ts';
import { WhoisServerRepository } from './whois-server-repository.ts';

/** What the root said counts for so long. */
const GOOD_FOR = 7 * DAY;
const REFERRAL = /^(?:refer|whois):[ \t]*(\S{1,253})[ \t]*$/im;

export interface WhoisDirectoryParts {
  knex: Knex;
  clock: Clock;
  outbound: Pick<Outbound, 'query'>;
  /** Servers that are known, as the settings write them. */
  servers: () => readonly string[];
  /** The server that knows the others; empty for none. */
  root: () => string;
}

/** Knows the WHOIS server of a TLD: by the settings, and where they are silent by asking the root. */
export class WhoisDirectory {
  readonly #parts: WhoisDirectoryParts;
  readonly #asking = new Map<string, Promise<string | null>>();

  constructor(parts: WhoisDirectoryParts) {
    this.#parts = parts;
  }

  /** Null where there is none. Throws what `askWhois` does. */
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

  /** Who asks for a TLD while another does shares the answer. */
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
    // An answer of the network names a host alone, so that it cannot choose a port.
    const host = hostName(referral.toLowerCase());
    await new WhoisServerRepository(knex).save(tld, host, clock.now());
    return host;
  }
}
