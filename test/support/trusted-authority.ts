import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { createAuthority, type CertificateAuthority } from './certificates.ts';

interface TrustedOutbound {
  trusted: CertificateAuthority;
  outbound: Outbound;
}

/** Gives a suite a certificate authority, and an outbound client that trusts it and only reaches this machine. */
export function withTrustedAuthority(take: (made: TrustedOutbound) => void): void {
  let outbound: Outbound;
  before(async () => {
    const trusted = await createAuthority('Trusted');
    outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'], certificateAuthorities: [trusted.root.cert] });
    take({ trusted, outbound });
  });
  after(() => outbound.close());
}
