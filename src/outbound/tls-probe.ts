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
import { literalAddress } from './address-guard.ts';
import { dial } from './dial.ts';
import { OutboundError, type Observation, type TlsProbe } from './outbound.ts';
import { isSelfSigned, shownCertificate } from './shown-certificate.ts';
import { signatureAlgorithmOf } from './signature-algorithm.ts';

export interface TlsProbeRequest {
  host: string;
  port: number;
  /** Checked before. */
  address: string;
  /** Both on the scale of `performance.now()`. */
  startedAt: number;
  endsAt: number;
  context: SecureContext;
  observation: Observation;
  signal?: AbortSignal | undefined;
}

/** More than the longest chain that OpenSSL takes, and all that stands around it. */
const MOST_BYTES = 256 * 1024;
const MEASURED_EVERY_MS = 50;
/** More certificates than this are not looked at. */
const LONGEST_CHAIN = 20;

/**
 * What handshakes are made with that only look: versions and keys are taken that nothing should be sent over, because
 * whoever shows them should hear of it. Made once, since it holds all authorities.
 */
export const probingContext = (ca: string[] | undefined): SecureContext =>
  createSecureContext({
    // Node's own, and what its environment adds to them, unless given.
    ...(ca && { ca }),
    minVersion: 'TLSv1',
    ciphers: `${DEFAULT_CIPHERS}:@SECLEVEL=0`,
  });

/** Shakes hands on a checked address, reads the certificate, and hangs up. No request is sent. */
export async function probeTls(request: TlsProbeRequest): Promise<TlsProbe> {
  const { address, port, startedAt, endsAt, observation, signal } = request;
  const dialledAt = performance.now();
  const socket = await dial({ address, port, startedAt, endsAt, signal });
  observation.connectMs = performance.now() - dialledAt;
  return shakeHands(socket, request);
}

function shakeHands(
  socket: Socket,
  { host, context, startedAt, endsAt, observation, signal }: TlsProbeRequest,
): Promise<TlsProbe> {
  return new Promise((resolve, reject) => {
    const beganAt = performance.now();
    let legacy: PeerCertificate | undefined;
    const tls = tlsConnect({
      socket,
      secureContext: context,
      // A name may not be an address.
      ...(literalAddress(host) === null ? { servername: host } : {}),
      rejectUnauthorized: false,
      // Whether it covers the host is judged apart from its chain. What Node has read for it is not read again.
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
      clearTimeout(timer);
      clearInterval(measuring);
      signal?.removeEventListener('abort', onAbort);
      hangUp();
      settle();
    };
    const cutOff = (): void => {
      tls.destroy();
      socket.destroy();
    };
    const fail = (fault: 'timeout' | 'tls' | 'aborted', message: string, cause?: Error): void =>
      end(() => reject(new OutboundError(fault, message, false, performance.now() - startedAt, { cause })), cutOff);
    const onAbort = (): void => fail('aborted', 'The call was given up.');
    const timer = setTimeout(
      () => fail('timeout', 'The TLS handshake took too long.'),
      Math.max(0, endsAt - performance.now()),
    );
    // Some of what a server may send without end, OpenSSL takes as fast as it comes.
    const measuring = setInterval(() => {
      if (socket.bytesRead > MOST_BYTES) fail('tls', 'The server sends more than belongs to a TLS handshake.');
    }, MEASURED_EVERY_MS);
    signal?.addEventListener('abort', onAbort, { once: true });
    tls.on('error', (error: NodeJS.ErrnoException) => fail('tls', problemOf(error), error));
    tls.once('close', () => fail('tls', CLOSED));
    tls.once('secureConnect', () => {
      observation.tlsMs = performance.now() - beganAt;
      const certificate = tls.getPeerX509Certificate();
      if (!certificate) return fail('tls', 'The server shows no certificate.');
      const probe = seen(tls, { certificate, legacy: legacy ?? certificate.toLegacyObject() }, host);
      // The last word of the handshake is still to be sent; without it the server would report a broken one.
      end(
        () => resolve(probe),
        () => tls.destroySoon(),
      );
    });
    if (signal?.aborted) onAbort();
  });
}

const CLOSED = 'The server closed the connection during the TLS handshake.';

function problemOf({ code = '' }: NodeJS.ErrnoException): string {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code))
    return 'The server does not speak TLS.';
  return code === 'ECONNRESET' || code === 'EPIPE' ? CLOSED : 'The TLS handshake failed.';
}

/** The certificate of the server, in both forms that Node has for one. */
interface Leaf {
  certificate: X509Certificate;
  legacy: PeerCertificate;
}

function seen(tls: TLSSocket, { certificate, legacy }: Leaf, host: string): TlsProbe {
  const chain = [...chainOf(certificate)];
  const shown = shownCertificate(certificate, legacy);
  return {
    protocol: tls.getProtocol(),
    cipher: tls.getCipher()?.name ?? null,
    certificate: shown,
    chainLength: chain.length,
    signatureAlgorithms: chain
      .filter((each) => each === certificate || !isSelfSigned(each))
      .flatMap(({ raw }) => signatureAlgorithmOf(raw) ?? []),
    coversHost: covers(host, legacy),
    chainFault: tls.authorized ? null : faultOf(tls, shown.validFrom, shown.validTo),
  };
}

/** The certificates as the server showed them. */
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

function covers(host: string, certificate: PeerCertificate): boolean {
  try {
    return checkServerIdentity(host, certificate) === undefined;
  } catch {
    return false;
  }
}

/** Node gives the word of OpenSSL itself, whatever its types say. */
function faultOf({ authorizationError }: TLSSocket, validFrom: number | null, validTo: number | null): string | null {
  const reason: unknown = authorizationError;
  const code = typeof reason === 'string' ? reason : ((reason as { code?: string } | null)?.code ?? 'UNKNOWN');
  const now = Date.now();
  if (code === 'CERT_HAS_EXPIRED' && validTo !== null && validTo <= now) return null;
  if (code === 'CERT_NOT_YET_VALID' && validFrom !== null && validFrom >= now) return null;
  return code;
}
