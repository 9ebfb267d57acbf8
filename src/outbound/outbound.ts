/**
 * The only way out of the process. Every address is checked before it is dialled, and the address that was checked is
 * the one that is dialled.
 */

/** A host that may be dialled, resolved. */
export interface ResolvedHost {
  host: string;
  port: number;
  /** The address to dial; all others of the name were checked as well. */
  address: string;
  family: 4 | 6;
}

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What was seen on the way of a request, filled in as it goes along, so that a broken one has it too. After redirects
 * the address is the last, and the times are those of all hops. Milliseconds; null where it did not come so far.
 */
export interface Observation {
  /** The address that was dialled. */
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the connection to the first byte of the answer. */
  firstByteMs: number | null;
}

export const nothingObserved = (): Observation => ({
  address: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
});

export interface OutboundRequest {
  url: string;
  method: OutboundMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** From `resolve`; when absent the request resolves and checks by itself. */
  resolved?: ResolvedHost;
  verifyTls?: boolean;
  connectTimeoutMs: number;
  /** For the whole exchange, from dialling to the last byte. */
  deadlineMs: number;
  /** More body bytes than this end the exchange with `body_too_large`. */
  maxBytes: number;
  /** How many redirects to follow, each hop checked anew; 0 returns the 3xx itself. Never used with a signed body. */
  maxRedirects?: number;
  /** Over a connection of its own, which is not kept. */
  ownConnection?: boolean;
  observation?: Observation;
  signal?: AbortSignal;
}

export interface OutboundConnect {
  url: string;
  deadlineMs: number;
  observation?: Observation;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Address of the answer after redirects. */
  url: string;
  elapsedMs: number;
}

export type OutboundFault =
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'body_too_large'
  | 'bad_encoding'
  | 'aborted'
  | 'too_many_redirects';

/** The exchange broke. `sent` says whether the request may have reached the other side. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  readonly sent: boolean;
  readonly elapsedMs: number;
  /** Of the answer that broke; null when none had begun. */
  readonly status: number | null;
  constructor(
    fault: OutboundFault,
    message: string,
    sent: boolean,
    elapsedMs: number,
    options: ErrorOptions & { status?: number | undefined } = {},
  ) {
    super(message, options);
    this.name = 'OutboundError';
    this.fault = fault;
    this.sent = sent;
    this.elapsedMs = elapsedMs;
    this.status = options.status ?? null;
  }
}

export interface TlsProbe {
  /** True when the chain is trusted, the name matches and today lies within the dates. */
  valid: boolean;
  /** Milliseconds since 1970; null when no certificate was shown. */
  expiresAt: number | null;
  issuer: string | null;
  /** Why it is not valid; null when it is. */
  problem: string | null;
}

export interface ResolveOptions {
  /** Asks for the name anew, whatever was heard of it a moment ago. */
  fresh?: boolean;
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

export interface Outbound {
  /** Throws `InvalidError` (`svc_invalid_url`, `svc_address_refused`) or `OutboundError('dns')`. */
  resolve(url: string, options?: ResolveOptions): Promise<ResolvedHost>;
  /** Throws as `resolve` does, and `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Opens a TCP connection to the host of a URL, and hangs up; the time that it took. Throws as `request` does. */
  connect(wanted: OutboundConnect): Promise<{ elapsedMs: number }>;
  /** Connects, reads the certificate, and hangs up. Throws as `request` does. */
  probeTls(url: string, timeoutMs: number): Promise<TlsProbe>;
  /** Closes kept-alive sockets. */
  close(): Promise<void>;
}
