import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent, RequestOptions } from 'node:https';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Got, Options } from 'got';
import { createAddressGuard, ipLiteralOf } from './address-guard.ts';
import { IdleSockets, createHttpAgent, createSingleUseAgents, createHttpsAgent } from './http-agents.ts';
import { dial } from './dial.ts';
import { exchange } from './exchange.ts';
import {
  emptyConnectionTimings,
  OutboundError,
  type ConnectionTimings,
  type Outbound,
  type OutboundResponse,
  type OutboundRequest,
  type ResolvedHost,
} from './outbound.ts';
import { createResolver, lookupAll, type ResolvedAddress, type Lookup } from './resolver.ts';
import { queryTcp } from './tcp-query.ts';
import { startTimeout } from './timeout.ts';
import { probeTls, probingContext } from './tls-probe.ts';
import { parseUrl } from '../shared/url.ts';

export interface OutboundOptions {
  allowedNetworks: readonly string[];
  /** Certificate authorities (PEM) that are trusted in addition to those of Node. */
  certificateAuthorities?: readonly string[];
  lookup?: Lookup;
  ipv4Only?: () => boolean;
  now?: () => number;
}

interface HttpClients {
  lasting: { verifying: Got; trusting: Got };
  /** For requests with a connection of their own. */
  once: { verifying: Got; trusting: Got };
}

const CREDENTIAL_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

export function createOutbound(options: OutboundOptions): Outbound {
  const guard = createAddressGuard(options.allowedNetworks);
  const resolver = createResolver(guard, options.lookup ?? lookupAll, options.now ?? (() => performance.now()));
  const extra = options.certificateAuthorities ?? [];
  const ca = extra.length > 0 ? [...rootCertificates, ...extra] : undefined;
  let context: SecureContext | undefined;
  const idle = new IdleSockets();
  // Shared by all connections, because reading the authorities takes milliseconds.
  const shared = ca && createSecureContext({ ca });
  const strict = { http: createHttpAgent(idle), https: createHttpsAgent(idle, shared) };
  const lenient = { http: strict.http, https: createHttpsAgent(idle, shared) };
  const single = createSingleUseAgents(shared);
  let clients: Promise<HttpClients> | undefined;
  // Loaded by the first request, because got is 90 files.
  const loadClients = async (): Promise<HttpClients> => {
    const { default: got } = await import('got');
    return {
      lasting: { verifying: createHttpClient(got, strict, true), trusting: createHttpClient(got, lenient, false) },
      once: { verifying: createHttpClient(got, single, true), trusting: createHttpClient(got, single, false) },
    };
  };

  async function resolve(hostname: string, { fresh = false } = {}): Promise<ResolvedAddress[]> {
    return usable(await resolver.resolve(hostname, { fresh }));
  }

  function usable(addresses: ResolvedAddress[]): ResolvedAddress[] {
    if (!options.ipv4Only?.()) return addresses;
    const ofFour = addresses.filter(({ family }) => family === 4);
    if (ofFour.length === 0) throw new OutboundError('dns', 'This host has no IPv4 address.', false, 0);
    return ofFour;
  }

  /** Returns null if a lookup is needed. Few requests of a sync need one, and waiting costs 2 % of a request. */
  function knownAddresses({ resolved }: OutboundRequest, url: URL): ResolvedAddress[] | null {
    if (resolved?.host === bareHost(url) && !(resolved.family === 6 && options.ipv4Only?.())) {
      guard.check(resolved.address, resolved.host);
      return [{ address: resolved.address, family: resolved.family }];
    }
    const known = resolver.known(url.hostname);
    return known && usable(known);
  }

  async function hop(
    { lasting, once }: HttpClients,
    request: OutboundRequest,
    url: URL,
    startedAt: number,
  ): Promise<OutboundResponse> {
    const endsAt = startedAt + request.deadlineMs;
    const { observation, signal } = request;
    const known = knownAddresses(request, url);
    if (known && observation) observation.dnsMs ??= 0;
    const limits = { endsAt, startedAt, signal };
    const addresses = known ?? (await measureDnsTime(observation, beforeDeadline(resolve(url.hostname), limits)));
    const { verifying, trusting } = request.ownConnection ? once : lasting;
    const client = request.verifyTls === false ? trusting : verifying;
    const wanted = {
      url,
      method: request.method,
      body: request.body,
      connectTimeoutMs: request.connectTimeoutMs,
      startedAt,
      endsAt,
      maxBytes: request.maxBytes,
      bodyTo: request.bodyTo,
      observation,
      maySend: request.maySend,
      signal,
    };
    // A second address is tried only if no part of the request can have been sent.
    return tryTwoAddresses(addresses, endsAt, (address) =>
      exchange(client, { ...wanted, headers: requestHeadersOf(request), address }),
    );
  }

  async function request(wanted: OutboundRequest): Promise<OutboundResponse> {
    const loaded = await (clients ??= loadClients().catch((error: unknown) => {
      clients = undefined;
      throw error;
    }));
    const startedAt = performance.now();
    let current = wanted;
    let url = guard.parseUrl(wanted.url);
    for (let left = wanted.maxRedirects ?? 0; ; left -= 1) {
      const answer = await hop(loaded, current, url, startedAt);
      const location = redirectUrlOf(answer, url);
      if (location === null || (wanted.maxRedirects ?? 0) === 0) return answer;
      if (left <= 0) {
        throw new OutboundError('too_many_redirects', 'The host redirects too often.', true, answer.elapsedMs);
      }
      const next = guard.parseUrl(location);
      current = redirectRequest(current, answer.status, next.origin === url.origin);
      url = next;
    }
  }

  return {
    async resolve(text, { fresh = false, deadlineMs, signal } = {}): Promise<ResolvedHost> {
      const startedAt = performance.now();
      const url = guard.parseUrl(text);
      const lookup = resolve(url.hostname, { fresh });
      // The resolver's own timeout does not include the time that a lookup waits in its queue.
      const endsAt = startedAt + (deadlineMs ?? Infinity);
      const [{ address, family }] = oneOfEachFamily(await beforeDeadline(lookup, { startedAt, endsAt, signal }));
      return { host: bareHost(url), port: portOf(url), address, family };
    },
    request,
    async connect({ url: text, deadlineMs, observation, signal }) {
      const startedAt = performance.now();
      const url = guard.parseUrl(text);
      const endsAt = startedAt + deadlineMs;
      const lookup = beforeDeadline(resolve(url.hostname), { endsAt, startedAt, signal });
      const addresses = await measureDnsTime(observation, lookup);
      const dialledAt = performance.now();
      const reach = async ({ address }: ResolvedAddress): Promise<void> => {
        if (observation) observation.address = address;
        const socket = await dial({ address, port: portOf(url), startedAt, endsAt, signal });
        socket.on('error', () => undefined).destroy();
      };
      await tryTwoAddresses(addresses, endsAt, reach);
      if (observation) observation.connectMs = performance.now() - dialledAt;
      return { elapsedMs: performance.now() - startedAt };
    },
    async query({ host, port, text, deadlineMs, maxBytes, signal }) {
      const startedAt = performance.now();
      const { hostname } = guard.parseUrl(`http://${host}/`);
      const endsAt = startedAt + deadlineMs;
      const addresses = await beforeDeadline(resolve(hostname), { endsAt, startedAt, signal });
      const wanted = { port, text, startedAt, endsAt, maxBytes, signal };
      return tryTwoAddresses(addresses, endsAt, ({ address }) => queryTcp({ ...wanted, address }));
    },
    async probeTls({ url: text, deadlineMs, observation = emptyConnectionTimings(), signal }) {
      const startedAt = performance.now();
      const url = guard.parseUrl(text);
      const endsAt = startedAt + deadlineMs;
      if (url.protocol !== 'https:') throw new OutboundError('tls', 'The URL uses http instead of https.', false, 0);
      const lookup = beforeDeadline(resolve(url.hostname), { endsAt, startedAt, signal });
      const addresses = await measureDnsTime(observation, lookup);
      context ??= probingContext(ca);
      const wanted = { host: bareHost(url), port: portOf(url), startedAt, endsAt, context, observation, signal };
      return tryTwoAddresses(addresses, endsAt, ({ address }) => {
        observation.address = address;
        return probeTls({ ...wanted, address });
      });
    },
    async close() {
      for (const agent of [strict.http, strict.https, lenient.https, single.http, single.https]) agent.destroy();
    },
  };
}

/** Got merges the options of client and call in every call, so shared options are merged here once. */
function createHttpClient(got: Got, agent: { http: HttpAgent; https: HttpsAgent }, rejectUnauthorized: boolean): Got {
  return got.extend({
    agent,
    https: { rejectUnauthorized },
    retry: { limit: 0 },
    throwHttpErrors: false,
    followRedirect: false,
    decompress: false,
    strictContentLength: false,
    handlers: [
      (options, next) => next(Object.assign(options, { createNativeRequestOptions: () => requestOptionsOf(options) })),
    ],
  });
}

/**
 * Returns only the options that `createHttpClient` and `exchange` set. Got itself passes thirty. They take 22 KB per
 * request, and Node copies them three times and keeps a copy with each idle socket.
 */
function requestOptionsOf({ url, method, headers, agent, dnsLookup: lookup, https }: Options): RequestOptions {
  const { rejectUnauthorized } = https;
  return {
    method,
    headers,
    agent: (url as URL).protocol === 'http:' ? agent.http : agent.https,
    lookup,
    rejectUnauthorized,
  };
}

function requestHeadersOf(request: OutboundRequest): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'Sitefleet', accept: '*/*' };
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  // Refuses compression: a response could expand a thousandfold, but `maxBytes` limits only the bytes received.
  headers['accept-encoding'] = 'identity';
  return headers;
}

function oneOfEachFamily(addresses: ResolvedAddress[]): [ResolvedAddress, ResolvedAddress | undefined] {
  const first = addresses[0];
  if (!first) throw new OutboundError('dns', 'The host name has no address.', false, 0);
  return [first, addresses.find(({ family }) => family !== first.family) ?? addresses[1]];
}

async function tryTwoAddresses<T>(
  addresses: ResolvedAddress[],
  endsAt: number,
  reach: (address: ResolvedAddress) => Promise<T>,
): Promise<T> {
  const [first, second] = oneOfEachFamily(addresses);
  try {
    return await reach(first);
  } catch (error) {
    if (!second || !failedToConnect(error) || performance.now() >= endsAt) throw error;
    return reach(second);
  }
}

function failedToConnect(error: unknown): boolean {
  return error instanceof OutboundError && !error.sent && (error.fault === 'connect' || error.fault === 'timeout');
}

function redirectUrlOf(answer: OutboundResponse, url: URL): string | null {
  const { location } = answer.headers;
  if (![301, 302, 303, 307, 308].includes(answer.status) || typeof location !== 'string') return null;
  return parseUrl(location, url.href)?.href ?? null;
}

function redirectRequest(request: OutboundRequest, status: number, sameOrigin: boolean): OutboundRequest {
  const { body, resolved: _resolved, ...next } = request;
  const headers = Object.entries(request.headers ?? {});
  next.headers = Object.fromEntries(
    sameOrigin ? headers : headers.filter(([name]) => !CREDENTIAL_HEADERS.has(name.toLowerCase())),
  );
  if (request.method === 'GET' || request.method === 'HEAD') return next;
  if ((status === 307 || status === 308) && sameOrigin) return body === undefined ? next : { ...next, body };
  return { ...next, method: 'GET' };
}

async function measureDnsTime<T>(observation: ConnectionTimings | undefined, lookup: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await lookup;
  } finally {
    if (observation) observation.dnsMs = (observation.dnsMs ?? 0) + performance.now() - began;
  }
}

async function beforeDeadline<T>(
  work: Promise<T>,
  { endsAt, startedAt, signal }: { endsAt: number; startedAt: number; signal?: AbortSignal | undefined },
): Promise<T> {
  // `work` can fail after the end, when nobody waits for it. An error that nobody handles would end the process.
  work.catch(() => undefined);
  if (signal?.aborted) throw new OutboundError('aborted', 'The call was aborted.', false, 0);
  let cancelTimeout = (): void => undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    const end = (fault: 'dns' | 'aborted', message: string): void =>
      reject(new OutboundError(fault, message, false, performance.now() - startedAt));
    const late = (): void => end('dns', 'The host name could not be resolved in time.');
    if (Number.isFinite(endsAt)) cancelTimeout = startTimeout(endsAt, late);
    onAbort = () => end('aborted', 'The call was aborted.');
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    cancelTimeout();
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}

function bareHost(url: URL): string {
  return ipLiteralOf(url.hostname) ?? url.hostname;
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}
