import type { Knex } from 'knex';
import type { Outbound } from '../../outbound/outbound.ts';
import { DAY, MINUTE, type Clock } from '../../shared/clock.ts';
import { parseHostName, parentZonesOf } from './domain-name.ts';
import { LookupFault } from './lookup-fault.ts';
import { parseWhoisAddress, parseWhoisServers, type WhoisAddress } from './whois-address.ts';
import { queryWhois } from './whois-client.ts';
import { replyToLookupFault } from './whois-record.ts';
import { WhoisServerRepository } from './whois-server-repository.ts';

const REFERRAL_LIFETIME = 7 * DAY;
const REFUSAL_PAUSE = 15 * MINUTE;
/** Reply of the root server for a TLD that does not exist. */
const NO_TLD = /\breturned 0 objects\b/i;
const REFERRAL = /^(?:refer|whois):[ \t]*(\S{1,253})[ \t]*$/im;

export interface WhoisDirectoryDeps {
  knex: Knex;
  clock: Clock;
  outbound: Pick<Outbound, 'query'>;
  servers: () => readonly string[];
  /** Address of the WHOIS server that returns the WHOIS server of any TLD. Empty if there is none. */
  root: () => string;
}

/** Query for the WHOIS server of a TLD that is not stored. */
export interface RootQuery {
  tld: string;
  root: WhoisAddress;
}

export class WhoisDirectory {
  readonly #deps: WhoisDirectoryDeps;
  readonly #pendingQueries = new Map<string, Promise<string | null>>();

  constructor(deps: WhoisDirectoryDeps) {
    this.#deps = deps;
  }

  /** Returns the WHOIS server of a domain, null if it has none, or the query for `askRoot`. */
  async serverOf(name: string): Promise<WhoisAddress | RootQuery | null> {
    const known = parseWhoisServers(this.#deps.servers());
    const zones = parentZonesOf(name);
    const zone = [...zones, '*'].find((each) => known.has(each));
    if (zone !== undefined) return known.get(zone) ?? null;
    const tld = zones.at(-1);
    const root = parseWhoisAddress(this.#deps.root());
    if (tld === undefined || !root) return null;
    const { knex, clock } = this.#deps;
    const kept = await new WhoisServerRepository(knex).find(tld, clock.now() - REFERRAL_LIFETIME);
    return kept === undefined ? { tld, root } : referralToAddress(kept);
  }

  /** Throws a `LookupFault` with a pause if the root server refuses the request. */
  async askRoot(query: RootQuery, deadlineMs: number): Promise<WhoisAddress | null> {
    const { tld } = query;
    const asking =
      this.#pendingQueries.get(tld) ?? this.#ask(query, deadlineMs).finally(() => this.#pendingQueries.delete(tld));
    this.#pendingQueries.set(tld, asking);
    return referralToAddress(await asking);
  }

  async #ask({ tld, root }: RootQuery, deadlineMs: number): Promise<string | null> {
    const { knex, clock, outbound } = this.#deps;
    const reply = await queryWhois(outbound, root, tld, { deadlineMs });
    const [, referral = ''] = REFERRAL.exec(reply) ?? [];
    // The host is read from the reply, but not a port, so that an attacker in the network cannot choose the port.
    const host = parseHostName(referral.toLowerCase());
    if (host === null && !isAboutTld(reply, tld)) throw rootReplyToLookupFault(reply);
    await new WhoisServerRepository(knex).save(tld, host, clock.now());
    return host;
  }
}

const referralToAddress = (host: string | null): WhoisAddress | null =>
  host === null ? null : parseWhoisAddress(host);

/** True if the reply shows whether the TLD has a WHOIS server. Any other reply, such as a refusal, is not stored. */
const isAboutTld = (reply: string, tld: string): boolean =>
  NO_TLD.test(reply) || new RegExp(`^domain(?:-ace)?:[ \\t]*${tld}[ \\t]*$`, 'im').test(reply);

function rootReplyToLookupFault(reply: string): LookupFault {
  const fault = replyToLookupFault(reply);
  // Each domain would ask the root server again, because a refusal is not stored.
  if (fault.code === 'refused') return new LookupFault('refused', fault.message, { pauseMs: REFUSAL_PAUSE });
  // Only the registry of the TLD can say that a domain is not registered.
  if (fault.code !== 'not_found') return fault;
  return new LookupFault('parse_error', 'The WHOIS root server returned a response that is not the record of a TLD.');
}
