import {
  emptyConnectionTimings,
  OutboundError,
  type ConnectionTimings,
  type Outbound,
  type ResolvedHost,
  type TlsProbeResult,
} from '../../outbound/outbound.ts';
import { SECOND } from '../../shared/clock.ts';
import { ChildUnreachableError } from '../../shared/child-call-errors.ts';
import { InvalidError } from '../../shared/errors.ts';
import { certificateFaultOf, isTrusted, sslWeaknessesOf, type SslFault } from './ssl-state.ts';

/** Runs work when the configured limits for calls to an IP address allow it. `signal` aborts the wait. */
export type SslCheckLimiter = <T>(address: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

const SSL_ERROR_CODES = [
  'dns_error',
  'connect_timeout',
  'connect_refused',
  'tls_handshake',
  'cert_hostname_mismatch',
  'cert_untrusted',
  'old_protocol',
  'no_certificate',
  'address_refused',
] as const;

export interface SslError {
  code: (typeof SSL_ERROR_CODES)[number];
  message: string;
}

export interface SslFinding {
  fault: SslFault | null;
  error: SslError | null;
  probe: TlsProbeResult | null;
}

/**
 * Time limit of the connection and the handshake. The lookup of the host name before has the limit of the resolver. The
 * waits for other lookups and calls do not count: a slow name server of one site must not make others `unreachable`.
 */
const DEADLINE = 10 * SECOND;
/** Milliseconds by which a timer of Node can be early. */
const TIMER_TOLERANCE = 2;

/** Says nothing about the site: its lookup has waited for the lookups of other hosts. */
export class LookupDelayedError extends ChildUnreachableError {
  constructor(cause: OutboundError) {
    super('dns', 'The host name was not looked up, because other lookups take too long.', {}, { cause });
  }
}

export interface SslCheckOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds after which the wait for a lookup ends with `LookupDelayedError`. Default: no limit. */
  lookupWaitMs?: number | undefined;
}

export interface SslCheckDeps {
  outbound: Pick<Outbound, 'resolve' | 'probeTls'>;
  limit: SslCheckLimiter;
  deadlineMs?: number | undefined;
}

export class SslCheck {
  readonly #deps: SslCheckDeps;

  constructor(deps: SslCheckDeps) {
    this.#deps = deps;
  }

  async run(url: string, options: SslCheckOptions = {}): Promise<SslFinding> {
    if (!url.startsWith('https:'))
      return failedSslFinding('no_tls', 'no_certificate', 'The URL of the site uses http, so there is no certificate.');
    const observation = emptyConnectionTimings();
    try {
      const probe = await this.#probe(url, observation, options);
      return { ...judgeCertificate(probe), probe };
    } catch (error) {
      return errorToSslFinding(error, observation);
    }
  }

  async #probe(url: string, observation: ConnectionTimings, options: SslCheckOptions): Promise<TlsProbeResult> {
    const { outbound, limit, deadlineMs = DEADLINE } = this.#deps;
    const { signal } = options;
    const { address } = await this.#resolve(url, options);
    const work = async (): Promise<TlsProbeResult> => {
      // The address may no longer be cached after the wait, and the next lookup may wait for others too.
      await this.#resolve(url, options);
      return outbound.probeTls({ url, deadlineMs, observation, ...(signal && { signal }) });
    };
    return limit(address, work, signal);
  }

  async #resolve(url: string, { signal, lookupWaitMs }: SslCheckOptions): Promise<ResolvedHost> {
    const { outbound } = this.#deps;
    if (lookupWaitMs === undefined) return outbound.resolve(url, { signal });
    const began = performance.now();
    try {
      return await outbound.resolve(url, { signal, deadlineMs: lookupWaitMs });
    } catch (error) {
      // A lookup that has begun ends after 10 seconds at the latest.
      const isDelayed = performance.now() - began >= lookupWaitMs - TIMER_TOLERANCE;
      throw isDelayed && error instanceof OutboundError && error.fault === 'dns'
        ? new LookupDelayedError(error)
        : error;
    }
  }
}

const failedSslFinding = (fault: SslFault, code: SslError['code'], message: string): SslFinding => ({
  fault,
  error: { code, message },
  probe: null,
});

function errorToSslFinding(error: unknown, { connectMs }: ConnectionTimings): SslFinding {
  if (error instanceof InvalidError && error.code === 'svc_address_refused')
    return failedSslFinding(
      'unreachable',
      'address_refused',
      'The address of the site is in a network that this service must not call.',
    );
  if (!(error instanceof OutboundError) || error.fault === 'aborted') throw error;
  // A server that hangs, or resets or closes the connection, has not shown that it lacks TLS.
  if (connectMs !== null)
    return failedSslFinding(error.fault === 'tls' ? 'no_tls' : 'unreachable', 'tls_handshake', error.message);
  if (error.fault === 'dns') return failedSslFinding('unreachable', 'dns_error', error.message);
  const code = error.fault === 'timeout' ? 'connect_timeout' : 'connect_refused';
  return failedSslFinding('unreachable', code, error.message);
}

function judgeCertificate(probe: TlsProbeResult): Pick<SslFinding, 'fault' | 'error'> {
  const fault = certificateFaultOf(probe);
  if (fault === null) return { fault, error: null };
  if (fault === 'mismatch')
    return { fault, error: { code: 'cert_hostname_mismatch', message: mismatchMessage(probe) } };
  if (isTrusted(probe))
    return {
      fault,
      error: { code: 'old_protocol', message: `The server supports only ${probe.protocol}, which browsers reject.` },
    };
  return { fault, error: { code: 'cert_untrusted', message: trustErrorMessage(probe) } };
}

const mismatchMessage = ({ certificate: { altNames } }: TlsProbeResult): string =>
  altNames.length === 0
    ? 'The certificate has no subjectAltName, so it covers no host.'
    : 'The certificate does not cover the host.';

const REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The chain ends in an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT: 'A certificate of the chain is missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'A certificate of the chain is missing, or its authority is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The server does not send the certificate of the issuer.',
  CERT_HAS_EXPIRED: 'A certificate further up the chain has expired.',
  CERT_NOT_YET_VALID: 'A certificate further up the chain is not valid yet.',
  INVALID_CA: 'A certificate of the chain is not allowed to issue certificates.',
  INVALID_PURPOSE: 'The certificate is not for servers.',
};

function trustErrorMessage(probe: TlsProbeResult): string {
  const { chainFault, certificate } = probe;
  if (chainFault !== null) return REASONS[chainFault] ?? `The chain is not trusted (${chainFault}).`;
  if (sslWeaknessesOf(probe).includes('small_key'))
    return (
      'The key of the certificate is too small: ' +
      `${certificate.keyType ?? 'an unnamed type'}, ${certificate.keyBits ?? 0} bits.`
    );
  return 'The chain is signed with an insecure algorithm.';
}
