import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbound } from '../../outbound/outbound.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import type { DomainFacts } from './domain-facts.ts';
import { toLookupFault, LookupFault } from './lookup-fault.ts';
import { queryRdap } from './rdap-client.ts';
import type { RdapDirectory } from './rdap-directory.ts';
import type { RegistryRateLimiter } from './registry-rate-limiter.ts';
import type { WhoisAddress } from './whois-address.ts';
import { queryWhois } from './whois-client.ts';
import type { RootQuery, WhoisDirectory } from './whois-directory.ts';
import { parseWhoisRecord } from './whois-record.ts';

export type LookupOutcome =
  | { kind: 'found'; source: 'rdap' | 'whois'; facts: DomainFacts }
  | { kind: 'fault'; fault: LookupFault }
  /** `until` is the earliest time for the next attempt, in milliseconds since 1970. */
  | { kind: 'put_off'; until: number };

export interface DomainLookupDeps {
  outbound: Pick<Outbound, 'request' | 'query'>;
  clock: Clock;
  rdap: RdapDirectory;
  whois: WhoisDirectory;
  rateLimiter: RegistryRateLimiter;
  deadlineMs?: number | undefined;
}

export interface LookupOptions {
  /**
   * Latest time of the next attempt, in milliseconds since 1970, if the registry is paused or cannot be asked within 10
   * seconds: `put_off` is returned with the time of the next attempt. If that is later, or this is null, the lookup
   * fails with `rate_limited`.
   */
  deferUntil: number | null;
  signal?: AbortSignal | undefined;
}

export const QUERY_DEADLINE = 15 * SECOND;
const LONGEST_WAIT = 10 * SECOND;

type RegistryServer = { protocol: 'rdap'; base: string; host: string } | ({ protocol: 'whois' } & WhoisAddress);

export class DomainLookup {
  readonly #deps: DomainLookupDeps;

  constructor(deps: DomainLookupDeps) {
    this.#deps = deps;
  }

  /** Returns failures of the registry as `fault`. Throws if `signal` aborts, and on unexpected errors. */
  async lookUp(name: string, call: LookupOptions): Promise<LookupOutcome> {
    try {
      const registry = await this.#registryOf(name, call);
      if (registry && 'until' in registry) return { kind: 'put_off', until: registry.until };
      if (!registry)
        return createFaultOutcome(
          'unsupported_tld',
          'No registry server is known for the top-level domain. Enter the data of the domain manually.',
        );
      const until = await this.#waitForRateLimit(registry.host, call);
      if (until !== null) return { kind: 'put_off', until };
      const ask = { deadlineMs: this.#deadlineMs, signal: call.signal };
      const facts = await this.#pauseAfterRefusal(registry.host, () => this.#fetchFacts(registry, name, ask));
      return { kind: 'found', ...facts };
    } catch (error) {
      return { kind: 'fault', fault: toLookupFault(error) };
    }
  }

  async #pauseAfterRefusal<T>(host: string, query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      const fault = toLookupFault(error);
      if (fault.pauseMs > 0) await this.#deps.rateLimiter.pause(host, fault.pauseMs);
      throw fault;
    }
  }

  get #deadlineMs(): number {
    return this.#deps.deadlineMs ?? QUERY_DEADLINE;
  }

  async #registryOf(name: string, call: LookupOptions): Promise<RegistryServer | { until: number } | null> {
    const { rdap, whois } = this.#deps;
    const base = await rdap.serverOf(name);
    if (base !== null) return { protocol: 'rdap', base, host: new URL(base).host };
    const known = await whois.serverOf(name);
    const address = known && 'root' in known ? await this.#askRoot(known, call) : known;
    return address && 'host' in address ? { protocol: 'whois', ...address } : address;
  }

  /**
   * The lookup spacing does not apply to the root server: it is asked once per TLD, and all domains of the TLD share
   * the query.
   */
  async #askRoot(query: RootQuery, { deferUntil }: LookupOptions): Promise<WhoisAddress | { until: number } | null> {
    const { rateLimiter, whois } = this.#deps;
    const { host } = query.root;
    if ((await rateLimiter.pauseOf(host)) === 0)
      return this.#pauseAfterRefusal(host, () => whois.askRoot(query, this.#deadlineMs));
    const until = await this.#deferOrThrow(
      host,
      deferUntil,
      'The WHOIS root server has refused a request, and the waiting time is not over yet.',
    );
    return { until };
  }

  /** Returns null if the registry may be asked, or the time of the next attempt in milliseconds since 1970. */
  async #waitForRateLimit(host: string, { deferUntil, signal }: LookupOptions): Promise<number | null> {
    const { rateLimiter } = this.#deps;
    const patience = performance.now() + LONGEST_WAIT;
    for (;;) {
      const admission = await rateLimiter.tryAcquire(host);
      if (admission.open) return null;
      const { waitMs, closed } = admission;
      if (closed) {
        const message = 'The registry limits the number of requests, and the waiting time is not over yet.';
        return this.#deferOrThrow(host, deferUntil, message);
      }
      if (performance.now() + waitMs > patience)
        return this.#deferOrThrow(host, deferUntil, 'Other lookups wait for this registry. Try again later.');
      await sleep(waitMs, undefined, { signal });
    }
  }

  /** Returns the time of the next attempt in milliseconds since 1970. Throws `rate_limited` if it is too late. */
  async #deferOrThrow(host: string, deferUntil: number | null, message: string): Promise<number> {
    const next = deferUntil === null ? null : await this.#deps.rateLimiter.defer(host, deferUntil);
    if (next === null) throw new LookupFault('rate_limited', message, { wasSent: false });
    return next;
  }

  async #fetchFacts(
    registry: RegistryServer,
    name: string,
    ask: { deadlineMs: number; signal: AbortSignal | undefined },
  ): Promise<{ source: 'rdap' | 'whois'; facts: DomainFacts }> {
    const { outbound, clock } = this.#deps;
    if (registry.protocol === 'rdap') {
      const facts = await queryRdap(outbound, { base: registry.base, name, now: clock.now(), ...ask });
      return { source: 'rdap', facts };
    }
    return { source: 'whois', facts: parseWhoisRecord(await queryWhois(outbound, registry, name, ask), name) };
  }
}

const createFaultOutcome = (code: LookupFault['code'], message: string): LookupOutcome => ({
  kind: 'fault',
  fault: new LookupFault(code, message),
});
