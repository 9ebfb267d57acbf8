import { lookup as systemLookup } from 'node:dns';
import { OutboundError } from './outbound.ts';
import { ipLiteralOf, type AddressGuard } from './address-guard.ts';
import { registeredDomainOf } from './public-host.ts';
import { startTimeout } from './timeout.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

export type Lookup = (host: string) => Promise<ResolvedAddress[]>;

export interface Resolver {
  /**
   * Returns the checked addresses, the preferred one first. `fresh` ignores the cache. Throws the errors of
   * `AddressGuard.check`, or `OutboundError('dns')`.
   */
  resolve(hostname: string, options?: { fresh?: boolean }): Promise<ResolvedAddress[]>;
  /** Returns the same addresses if no lookup is needed, and otherwise null. */
  known(hostname: string): ResolvedAddress[] | null;
}

const SUCCESS_TTL_MS = 30_000;
const FAILURE_TTL_MS = 3_000;
const MAX_CACHED = 20_000;
const MAX_WAIT_MS = 10_000;
/**
 * Maximum number of concurrent lookups. Node runs at most two, on half of its thread pool. More would wait there for a
 * lookup without an answer, and their time would run out before they were sent.
 */
const MAX_AT_ONCE = 2;
/** A lookup that takes longer may have met a name server that does not answer. */
const FAST_MS = 1_000;

interface CachedLookup {
  /** Infinity until the lookup has ended. */
  until: number;
  addresses: Promise<ResolvedAddress[]>;
  /** Result of a lookup that has succeeded. */
  found?: ResolvedAddress[];
}

interface WaitingName {
  host: string;
  domain: string;
}

export const lookupAll: Lookup = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true, order: 'verbatim' } as { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
    });
  });

/**
 * Creates a resolver that refuses a name if any of its addresses is refused. Otherwise an attacker could choose which
 * of the addresses is dialed. The short cache lets many calls share one lookup. Callers dial the checked address
 * itself, so a DNS response that changes in between (DNS rebinding) has no effect.
 */
export function createResolver(guard: AddressGuard, lookup: Lookup, now: () => number): Resolver {
  const cache = new Map<string, CachedLookup>();
  const running = new Set<WaitingName>();
  const queue: { name: WaitingName; start: () => void }[] = [];
  /** By registered domain, its host names whose last lookup was fast. A slow lookup removes all names of its domain. */
  const fastNames = new Map<string, Set<string>>();

  /**
   * True if a lookup may run now. Names of one domain have the same name servers, so they are looked up one after
   * another: if these servers do not answer, other domains still have a thread. A name that was fast does not wait for
   * its domain, because another name of the domain can have servers of its own that do not answer.
   */
  function mayStart({ host, domain }: WaitingName): boolean {
    if (running.size >= MAX_AT_ONCE) return false;
    return fastNames.get(domain)?.has(host) || [...running].every((other) => other.domain !== domain);
  }

  function startWaiting(): void {
    while (running.size < MAX_AT_ONCE) {
      const at = queue.findIndex(({ name }) => mayStart(name));
      const [next] = at < 0 ? [] : queue.splice(at, 1);
      if (!next) return;
      running.add(next.name);
      next.start();
    }
  }

  function finish(name: WaitingName, began: number): void {
    const { host, domain } = name;
    running.delete(name);
    if (now() - began > FAST_MS) fastNames.delete(domain);
    else fastNames.set(domain, (fastNames.get(domain) ?? new Set()).add(host));
    if (fastNames.size > MAX_CACHED) fastNames.clear();
    startWaiting();
  }

  async function ask(host: string): Promise<ResolvedAddress[]> {
    const name = { host, domain: registeredDomainOf(host) };
    if (mayStart(name)) running.add(name);
    else await new Promise<void>((start) => queue.push({ name, start }));
    const began = now();
    // A lookup cannot be canceled, so it keeps its thread after its time has run out.
    const addresses = lookup(host).finally(() => finish(name, began));
    try {
      return preferIpv4(await limitLookupTime(addresses));
    } catch (cause) {
      throw new OutboundError('dns', 'The host name could not be resolved.', false, 0, { cause });
    }
  }

  function cached(host: string, fresh: boolean): Promise<ResolvedAddress[]> {
    const known = cache.get(host);
    const isAsked = known?.until === Infinity;
    if (known && (isAsked || (!fresh && known.until > now()))) return known.addresses;
    cache.delete(host);
    const entry: CachedLookup = { until: Infinity, addresses: ask(host) };
    entry.addresses.then(
      (addresses) => Object.assign(entry, { until: now() + SUCCESS_TTL_MS, found: addresses }),
      () => (entry.until = now() + FAILURE_TTL_MS),
    );
    cache.set(host, entry);
    if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
    return entry.addresses;
  }

  function checked(addresses: ResolvedAddress[], hostname: string): ResolvedAddress[] {
    for (const { address } of addresses) guard.check(address, hostname);
    return addresses;
  }

  function cachedNow(host: string): ResolvedAddress[] | null {
    const entry = cache.get(host);
    return entry?.found && entry.until > now() ? entry.found : null;
  }

  return {
    known(hostname) {
      const addresses = literalIn(hostname) ?? cachedNow(hostname);
      return addresses && checked(addresses, hostname);
    },
    async resolve(hostname, { fresh = false } = {}) {
      return checked(literalIn(hostname) ?? (await cached(hostname, fresh)), hostname);
    },
  };
}

function literalIn(hostname: string): ResolvedAddress[] | null {
  const address = ipLiteralOf(hostname);
  return address === null ? null : [{ address, family: address.includes(':') ? 6 : 4 }];
}

/** Puts IPv4 first: most hosts with both families respond on it, and many dashboards have no IPv6 route. */
function preferIpv4(addresses: ResolvedAddress[]): ResolvedAddress[] {
  if (addresses.length === 0) throw new Error('no address');
  return [...addresses.filter(({ family }) => family === 4), ...addresses.filter(({ family }) => family === 6)];
}

async function limitLookupTime<T>(work: Promise<T>): Promise<T> {
  let cancelTimeout = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const reportLate = (): void => reject(new Error('the name server did not answer'));
    cancelTimeout = startTimeout(performance.now() + MAX_WAIT_MS, reportLate);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancelTimeout();
  }
}
