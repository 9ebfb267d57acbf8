import type { Writable } from 'node:stream';

/**
 * All connections to sites and other hosts are opened in this folder, and only to an address that was checked
 * (`ResolvedHost`). The operator's mail server is the only exception.
 */

export interface ResolvedHost {
  host: string;
  port: number;
  address: string;
  family: 4 | 6;
}

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Measurements of a request. They are filled in while it runs, so a failed request has them too. After redirects,
 * `address` is the last one and the times are sums over all requests. Times are in milliseconds; null for a step that
 * the request did not reach or, on an open connection, did not need.
 */
export interface ConnectionTimings {
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** Time from the open connection to the first byte of the response. */
  firstByteMs: number | null;
}

export const emptyConnectionTimings = (): ConnectionTimings => ({
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
  resolved?: ResolvedHost;
  verifyTls?: boolean;
  connectTimeoutMs: number;
  /** Timeout of the whole exchange, from the DNS lookup to the last byte, with all redirects. */
  deadlineMs: number;
  /** Maximum number of body bytes. More bytes end the exchange with `body_too_large`. */
  maxBytes: number;
  /** Maximum number of redirects; 0 returns the 3xx response. Each target is checked. Never used with a signed body. */
  maxRedirects?: number;
  ownConnection?: boolean;
  /**
   * Called when the connection is open, right before the first byte is sent. False ends the exchange with a
   * `RequestWithheldError`, and nothing is sent.
   */
  maySend?: () => boolean;
  /**
   * Receives the body of a response with status 200, with backpressure. The stream is not ended, and
   * `OutboundResponse.body` is empty. Bodies of other statuses are dropped.
   */
  bodyTo?: Writable;
  observation?: ConnectionTimings;
  signal?: AbortSignal;
}

export interface OutboundConnect {
  url: string;
  deadlineMs: number;
  observation?: ConnectionTimings;
  signal?: AbortSignal;
}

export interface OutboundTextExchange {
  host: string;
  port: number;
  text: string;
  deadlineMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
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

/** Thrown if an exchange fails. `sent` is true if the request may have reached the other side. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;
  readonly sent: boolean;
  readonly elapsedMs: number;
  /** Status of the response that was interrupted; null if no response had begun. */
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

export class RequestWithheldError extends Error {}

export interface OutboundTlsProbeRequest {
  url: string;
  deadlineMs: number;
  observation?: ConnectionTimings;
  signal?: AbortSignal;
}

export interface DistinguishedName {
  CN: string | null;
  O: string | null;
  OU: string | null;
  L: string | null;
  ST: string | null;
  C: string | null;
}

/**
 * Certificate that a server presented. Its texts come from the server. They are shortened and have no control
 * characters.
 */
export interface PresentedCertificate {
  subject: DistinguishedName;
  issuer: DistinguishedName;
  altNames: string[];
  serialNumber: string;
  /** SHA-256 in lower-case hexadecimal: `fingerprint` of the certificate, `keyFingerprint` of its public key. */
  fingerprint: string;
  keyFingerprint: string;
  signatureAlgorithm: string | null;
  keyType: string | null;
  keyBits: number | null;
  /** Milliseconds since 1970; null if the dates cannot be parsed. */
  validFrom: number | null;
  validTo: number | null;
  isSelfSigned: boolean;
}

export interface TlsProbeResult {
  protocol: string | null;
  cipher: string | null;
  certificate: PresentedCertificate;
  chainLength: number;
  /** Algorithms of the chain, the server's first. Roots are left out, because their signature proves nothing. */
  signatureAlgorithms: string[];
  coversHost: boolean;
  /**
   * OpenSSL code of the error of the certificate chain, such as `SELF_SIGNED_CERT_IN_CHAIN`, or null if there is none.
   * A server certificate that has expired or is not valid yet is no such error.
   */
  chainFault: string | null;
}

export interface ResolveOptions {
  fresh?: boolean;
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

export interface Outbound {
  /**
   * Resolves the host and checks that all its addresses are allowed. Throws `InvalidError` (`svc_invalid_url`,
   * `svc_address_refused`) or an `OutboundError` (`dns`, `aborted`). The other methods throw these errors and any other
   * `OutboundError`.
   */
  resolve(url: string, options?: ResolveOptions): Promise<ResolvedHost>;
  request(request: OutboundRequest): Promise<OutboundResponse>;
  connect(wanted: OutboundConnect): Promise<{ elapsedMs: number }>;
  /** Returns all bytes that are received until the other side closes the connection. */
  query(wanted: OutboundTextExchange): Promise<Buffer>;
  /**
   * Completes a TLS handshake even if the certificate is invalid, and sends no request. If it throws,
   * `observation.connectMs` is null unless the TCP connection was opened.
   */
  probeTls(wanted: OutboundTlsProbeRequest): Promise<TlsProbeResult>;
  close(): Promise<void>;
}
