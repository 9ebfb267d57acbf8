import { createOutbound, type Outbound } from '../../src/outbound/index.ts';
import { authority, type Authority } from './certificates.ts';

interface Trusted {
  trusted: Authority;
  outbound: Outbound;
}

/** Gives a suite an authority and a way out that trusts it, to this machine alone. */
export function withTrustedAuthority(take: (made: Trusted) => void): void {
  let outbound: Outbound;
  before(async () => {
    const trusted = await authority('Trusted');
    outbound = createOutbound({ allowedNetworks: ['127.0.0.0/8'], certificateAuthorities: [trusted.root.cert] });
    take({ trusted, outbound });
  });
  after(() => outbound.close());
}
