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
import type { WhoisDirectory } from './whois-directory.ts';
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
    let registry: RegistryServer | null = null;
    try {
      registry = await this.#registryOf(name);
      if (!registry)
        return createFaultOutcome(
          'unsupported_tld',
          'No registry server is known for the top-level domain. Enter the data of the domain manually.',
        );
      const until = await this.#waitForRateLimit(registry.host, call);
      if (until !== null) return { kind: 'put_off', until };
      return {
        kind: 'found',
        ...(await this.#fetchFacts(registry, name, { deadlineMs: this.#deadlineMs, signal: call.signal })),
      };
    } catch (error) {
      const fault = toLookupFault(error);
      if (registry && fault.pauseMs > 0) await this.#deps.rateLimiter.pause(registry.host, fault.pauseMs);
      return { kind: 'fault', fault };
    }
  }

  get #deadlineMs(): number {
    return this.#deps.deadlineMs ?? QUERY_DEADLINE;
  }

  async #registryOf(name: string): Promise<RegistryServer | null> {
    const { rdap, whois } = this.#deps;
    const base = await rdap.serverOf(name);
    if (base !== null) return { protocol: 'rdap', base, host: new URL(base).host };
    const address = await whois.serverOf(name, this.#deadlineMs);
    return address && { protocol: 'whois', ...address };
  }

  /** Returns null if the registry may be asked, or the time of the next attempt in milliseconds since 1970. */
  async #waitForRateLimit(host: string, { deferUntil, signal }: LookupOptions): Promise<number | null> {
    const { rateLimiter: gate } = this.#deps;
    const patience = performance.now() + LONGEST_WAIT;
    for (;;) {
      const admission = await gate.tryAcquire(host);
      if (admission.open) return null;
      const { waitMs, closed } = admission;
      const isTooLong = performance.now() + waitMs > patience;
      const next = deferUntil !== null && (closed || isTooLong) ? await gate.defer(host, deferUntil) : null;
      if (next !== null) return next;
      if (closed)
        throw new LookupFault(
          'rate_limited',
          'The registry limits the number of requests, and the waiting time is not over yet.',
          { wasSent: false },
        );
      if (isTooLong)
        throw new LookupFault('rate_limited', 'Other lookups wait for this registry. Try again later.', {
          wasSent: false,
        });
      await sleep(waitMs, undefined, { signal });
    }
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
