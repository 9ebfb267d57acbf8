import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as tlsConnect,
  createSecureContext,
  DEFAULT_CIPHERS,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { ipLiteralOf } from './address-guard.ts';
import { dial } from './dial.ts';
import { OutboundError, type ConnectionTimings, type TlsProbeResult } from './outbound.ts';
import { isSelfSigned, readCertificate } from './presented-certificate.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';
import { startTimeout } from './timeout.ts';

export interface TlsProbeRequest {
  host: string;
  port: number;
  address: string;
  startedAt: number;
  endsAt: number;
  context: SecureContext;
  observation: ConnectionTimings;
  signal?: AbortSignal | undefined;
}

/** Maximum number of bytes that a server may send in the handshake. The longest chain that OpenSSL accepts fits in. */
const MOST_BYTES = 256 * 1024;
const MEASURED_EVERY_MS = 50;
const LONGEST_CHAIN = 20;

/**
 * Returns the TLS context for handshakes that only inspect a server. It accepts protocol versions and keys that are too
 * weak for sending data, so that they can be reported. Create it once, because it holds all certificate authorities.
 */
export const probingContext = (ca: string[] | undefined): SecureContext =>
  createSecureContext({
    ...(ca && { ca }),
    minVersion: 'TLSv1',
    ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`,
  });

export async function probeTls(request: TlsProbeRequest): Promise<TlsProbeResult> {
  const { address, port, startedAt, endsAt, observation, signal } = request;
  const dialledAt = performance.now();
  const socket = await dial({ address, port, startedAt, endsAt, signal });
  observation.connectMs = performance.now() - dialledAt;
  return shakeHands(socket, request);
}

function shakeHands(
  socket: Socket,
  { host, context, startedAt, endsAt, observation, signal }: TlsProbeRequest,
): Promise<TlsProbeResult> {
  return new Promise((resolve, reject) => {
    const beganAt = performance.now();
    let legacy: PeerCertificate | undefined;
    const tls = tlsConnect({
      socket,
      secureContext: context,
      // A server name (SNI) must not be an IP address.
      ...(ipLiteralOf(host) === null ? { servername: host } : {}),
      rejectUnauthorized: false,
      // The host name is checked later, separately from the chain. That check needs the certificate that Node has
      // parsed here.
      checkServerIdentity: (_host, certificate) => {
        legacy = certificate;
        return undefined;
      },
      ALPNProtocols: ['http/1.1'],
    });
    let isOver = false;
    const end = (settle: () => void, hangUp: () => void): void => {
      if (isOver) return;
      isOver = true;
      cancelTimeout();
      clearInterval(measuring);
      signal?.removeEventListener('abort', onAbort);
      hangUp();
      settle();
    };
    const cutOff = (): void => {
      tls.destroy();
      socket.destroy();
    };
    const fail = (fault: 'timeout' | 'connect' | 'tls' | 'aborted', message: string, cause?: Error): void =>
      end(() => reject(new OutboundError(fault, message, false, performance.now() - startedAt, { cause })), cutOff);
    const onAbort = (): void => fail('aborted', 'The call was aborted.');
    const cancelTimeout = startTimeout(endsAt, () => fail('timeout', 'The TLS handshake timed out.'));
    // OpenSSL accepts some messages without any limit, as fast as the server sends them, so the received bytes are
    // measured.
    const measuring = setInterval(() => {
      if (socket.bytesRead > MOST_BYTES) fail('tls', 'The server sent more data than a TLS handshake allows.');
    }, MEASURED_EVERY_MS);
    signal?.addEventListener('abort', onAbort, { once: true });
    tls.on('error', (error: NodeJS.ErrnoException) =>
      isClosedConnection(error) ? fail('connect', CLOSED, error) : fail('tls', handshakeProblemOf(error), error),
    );
    tls.once('close', () => fail('connect', CLOSED));
    tls.once('secureConnect', () => {
      observation.tlsMs = performance.now() - beganAt;
      const certificate = tls.getPeerX509Certificate();
      if (!certificate) return fail('tls', 'The server sent no certificate.');
      let probe: TlsProbeResult;
      try {
        probe = toProbeResult(tls, { certificate, legacy: legacy ?? certificate.toLegacyObject() }, host);
      } catch (error) {
        // The server chooses the content of its certificate.
        return fail('tls', 'The certificate cannot be read.', error as Error);
      }
      // The last handshake message is still to be sent. Without it the server would report a failed handshake.
      end(
        () => resolve(probe),
        () => tls.destroySoon(),
      );
    });
    if (signal?.aborted) onAbort();
  });
}

const CLOSED = 'The server closed the connection during the TLS handshake.';

function handshakeProblemOf({ code = '' }: NodeJS.ErrnoException): string {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code))
    return 'The server does not speak TLS.';
  return 'The TLS handshake failed.';
}

const isClosedConnection = ({ code = '' }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'EPIPE';

interface Leaf {
  certificate: X509Certificate;
  legacy: PeerCertificate;
}

function toProbeResult(tls: TLSSocket, { certificate, legacy }: Leaf, host: string): TlsProbeResult {
  const chain = [...chainOf(certificate)];
  const shown = readCertificate(certificate, legacy);
  return {
    protocol: tls.getProtocol(),
    cipher: tls.getCipher()?.name ?? null,
    certificate: shown,
    chainLength: chain.length,
    signatureAlgorithms: chain
      .filter((each) => each === certificate || !isSelfSigned(each))
      .flatMap(({ raw }) => signatureAlgorithmOf(raw) ?? []),
    coversHost: certificateCoversHost(host, legacy),
    chainFault: tls.authorized ? null : chainErrorCodeOf(tls, shown.validFrom, shown.validTo),
  };
}

function* chainOf(certificate: X509Certificate): Generator<X509Certificate> {
  let count = 0;
  const seenBefore = new Set<string>();
  for (
    let current: X509Certificate | undefined = certificate;
    current && count < LONGEST_CHAIN && !seenBefore.has(current.fingerprint256);
    current = current.issuerCertificate
  ) {
    seenBefore.add(current.fingerprint256);
    count += 1;
    yield current;
  }
}

function certificateCoversHost(host: string, certificate: PeerCertificate): boolean {
  // Without a DNS name, Node would compare the common name. Browsers ignore it (RFC 9525, section 2).
  if (ipLiteralOf(host) === null && !/(?:^|, )DNS:/.test(certificate.subjectaltname ?? '')) return false;
  try {
    return checkServerIdentity(host, certificate) === undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the OpenSSL code of the chain error. Returns null if the server's own certificate has expired or is not valid
 * yet. At runtime `authorizationError` is a string, although its type is `Error`.
 */
function chainErrorCodeOf(
  { authorizationError }: TLSSocket,
  validFrom: number | null,
  validTo: number | null,
): string | null {
  const reason: unknown = authorizationError;
  const code = typeof reason === 'string' ? reason : ((reason as { code?: string } | null)?.code ?? 'UNKNOWN');
  const now = Date.now();
  if (code === 'CERT_HAS_EXPIRED' && validTo !== null && validTo <= now) return null;
  if (code === 'CERT_NOT_YET_VALID' && validFrom !== null && validFrom >= now) return null;
  return code;
}
