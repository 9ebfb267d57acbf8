import type http from 'node:http';
import https from 'node:https';
import { selfSignedCertificate } from './certificate.ts';

export type CertificateDefect = 'wrong-name' | 'expired' | 'ending' | 'not-yet-valid' | 'untrusted';

export interface TlsServers {
  servers: https.Server[];
  serverFor(address: string): https.Server | undefined;
  certificate: string;
}

/**
 * Maximum number of addresses per certificate without a defect. With more names, each handshake would transfer hundreds
 * of kilobytes.
 */
const ADDRESSES_EACH = 250;
const DAY_MS = 86_400_000;
/** Start of the validity, relative to the current time. Certificates are valid for 90 days. */
const VALID_FROM_MS: Record<CertificateDefect, number> = {
  'wrong-name': 0,
  expired: -365 * DAY_MS,
  ending: -80 * DAY_MS,
  'not-yet-valid': 30 * DAY_MS,
  untrusted: 0,
};

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
  for (const [defect, bornMs] of Object.entries(VALID_FROM_MS) as [CertificateDefect, number][]) {
    const members = having(defect);
    const names = defect === 'wrong-name' ? ['wrong-host.example'] : members;
    open(names, members, Date.now() + bornMs, defect === 'ending');
  }
  return { servers, serverFor: (address) => byAddress.get(address), certificate: trusted.join('') };
}
