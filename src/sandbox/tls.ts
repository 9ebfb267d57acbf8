import type http from 'node:http';
import https from 'node:https';
import { selfSignedCertificate } from './certificate.ts';

/** Certificates for a fleet on many addresses. */

/** What is wrong with a site's certificate: it names another host, or its time is over. */
export type CertificateDefect = 'wrong-name' | 'expired';

export interface TlsServers {
  servers: https.Server[];
  serverFor(address: string): https.Server | undefined;
  /** The good certificates, one PEM after the other. */
  certificate: string;
}

/** So many addresses share a certificate: with more names each handshake would carry hundreds of kilobytes. */
const ADDRESSES_EACH = 250;
const YEAR_MS = 365 * 86_400_000;

export function tlsServers(
  addresses: string[],
  defectOf: ((index: number) => CertificateDefect | undefined) | undefined,
  serve: http.RequestListener,
): TlsServers {
  const servers: https.Server[] = [];
  const byAddress = new Map<string, https.Server>();
  const trusted: string[] = [];
  const open = (names: string[], members: string[], bornAt: number, good: boolean): void => {
    if (members.length === 0) return;
    const { privateKey, certificate } = selfSignedCertificate(names, bornAt);
    const server = https.createServer({ key: privateKey, cert: certificate }, serve);
    servers.push(server);
    for (const address of members) byAddress.set(address, server);
    if (good) trusted.push(certificate);
  };
  const having = (wanted: CertificateDefect | undefined): string[] =>
    addresses.filter((_, index) => defectOf?.(index) === wanted);
  const sound = having(undefined);
  for (let start = 0; start < sound.length; start += ADDRESSES_EACH) {
    const members = sound.slice(start, start + ADDRESSES_EACH);
    open(members, members, Date.now(), true);
  }
  open(['wrong-host.example'], having('wrong-name'), Date.now(), false);
  const expired = having('expired');
  open(expired, expired, Date.now() - YEAR_MS, false);
  return { servers, serverFor: (address) => byAddress.get(address), certificate: trusted.join('') };
}
