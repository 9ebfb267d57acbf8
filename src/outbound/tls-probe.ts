import type { Socket } from 'node:net';
import { connect as tlsConnect, type PeerCertificate } from 'node:tls';
import { literalAddress } from './address-guard.ts';
import { dial } from './dial.ts';
import { OutboundError, type TlsProbe } from './outbound.ts';

export interface TlsProbeRequest {
  url: URL;
  host: string;
  port: number;
  /** Checked before. */
  address: string;
  /** Both on the scale of `performance.now()`. */
  startedAt: number;
  endsAt: number;
  ca: string[] | undefined;
}

/** Shakes hands on a checked address, reads the certificate, and hangs up. No request is sent. */
export async function probeTls(request: TlsProbeRequest): Promise<TlsProbe> {
  const { url, address, port, startedAt, endsAt } = request;
  if (url.protocol !== 'https:') {
    return { valid: false, expiresAt: null, issuer: null, problem: 'The address is plain http.' };
  }
  const socket = await dial({ address, port, startedAt, endsAt });
  return shakeHands(socket, request);
}

function shakeHands(socket: Socket, { host, ca, startedAt, endsAt }: TlsProbeRequest): Promise<TlsProbe> {
  return new Promise((resolve, reject) => {
    // Node checks the certificate against `servername`, or against `host` where a name may not be an address.
    const named = literalAddress(host) === null ? { servername: host } : {};
    const tls = tlsConnect({ socket, host, ...named, rejectUnauthorized: false, ca, ALPNProtocols: ['http/1.1'] });
    const done = (probe: TlsProbe): void => {
      clearTimeout(timer);
      tls.destroy();
      socket.destroy();
      resolve(probe);
    };
    const timer = setTimeout(() => {
      tls.destroy();
      socket.destroy();
      reject(new OutboundError('timeout', 'The TLS handshake took too long.', false, performance.now() - startedAt));
    }, endsAt - performance.now());
    const noHandshake = (): void =>
      done({ valid: false, expiresAt: null, issuer: null, problem: 'The TLS handshake failed.' });
    tls.on('error', noHandshake);
    tls.once('close', noHandshake);
    tls.once('secureConnect', () => {
      const certificate = tls.getPeerCertificate();
      const expiresAt = Date.parse(certificate.valid_to ?? '');
      done({
        valid: tls.authorized,
        expiresAt: Number.isNaN(expiresAt) ? null : expiresAt,
        issuer: issuerOf(certificate),
        problem: tls.authorized ? null : problemOf(tls.authorizationError),
      });
    });
  });
}

function issuerOf({ issuer }: PeerCertificate): string | null {
  const name: unknown = issuer?.O ?? issuer?.CN;
  const text = Array.isArray(name) ? name.join(', ') : name;
  // eslint-disable-next-line no-control-regex
  return typeof text === 'string' ? text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '').slice(0, 200) : null;
}

const PROBLEMS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The chain ends in a self-signed certificate.',
};

function problemOf(error: unknown): string {
  const code = typeof error === 'string' ? error : ((error as { code?: string } | null)?.code ?? '');
  return PROBLEMS[code] ?? 'The certificate is not trusted.';
}
