import type { Writable } from 'node:stream';

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
  /**
   * Takes the body of an answer with the status 200 as fast as it can, and is not ended; the answer has none then,
   * and the body of another status is dropped.
   */
  bodyTo?: Writable;
  observation?: Observation;
  signal?: AbortSignal;
}

export interface OutboundConnect {
  url: string;
  deadlineMs: number;
  observation?: Observation;
  signal?: AbortSignal;
}

/** A text that is sent over a bare TCP connection, as WHOIS does. */
export interface OutboundQuery {
  /** Name or address, without a port. */
  host: string;
  port: number;
  text: string;
  deadlineMs: number;
  /** More bytes than this end it with `body_too_large`. */
  maxBytes: number;
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

export interface OutboundTlsProbe {
  url: string;
  deadlineMs: number;
  observation?: Observation;
  signal?: AbortSignal;
}

/** A name as a certificate writes it; null where it leaves a part out. */
export interface CertificateName {
  CN: string | null;
  O: string | null;
  OU: string | null;
  L: string | null;
  ST: string | null;
  C: string | null;
}

/** A certificate as a server showed it. Its texts are the server's own, bounded and without control characters. */
export interface ShownCertificate {
  subject: CertificateName;
  issuer: CertificateName;
  /** Host names and addresses that it covers. */
  altNames: string[];
  serialNumber: string;
  /** SHA-256 in lower-case hexadecimal digits, of the whole and of its key. */
  fingerprint: string;
  keyFingerprint: string;
  signatureAlgorithm: string | null;
  keyType: string | null;
  keyBits: number | null;
  /** Milliseconds since 1970; null when they cannot be read. */
  validFrom: number | null;
  validTo: number | null;
  isSelfSigned: boolean;
}

/** What a handshake brought. Trust, host and dates are judged apart from each other. */
export interface TlsProbe {
  protocol: string | null;
  cipher: string | null;
  certificate: ShownCertificate;
  /** How many certificates the server showed. */
  chainLength: number;
  /** What these are signed with, that of the server first; none for a root, whose signature proves nothing. */
  signatureAlgorithms: string[];
  coversHost: boolean;
  /**
   * What is wrong with the chain as a stable word of OpenSSL, the dates of the certificate itself apart; null for
   * nothing.
   */
  chainFault: string | null;
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
  /** Sends a text, and answers all that comes until the other side closes. Throws as `request` does. */
  query(wanted: OutboundQuery): Promise<Buffer>;
  /**
   * Connects, shakes hands whatever the certificate is worth, reads it, and hangs up. Throws as `request` does; an
   * observation with `connectMs` says that the connection came about.
   */
  probeTls(wanted: OutboundTlsProbe): Promise<TlsProbe>;
  /** Closes kept-alive sockets. */
  close(): Promise<void>;
}
