import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { SECOND } from '../../shared/clock.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { SslProbe } from '../sites/index.ts';

const TIMEOUT = 10 * SECOND;

/** Looks at the certificate of a site. One that could not be asked says nothing new, so what is stored stays. */
export function sslProbe(outbound: Pick<Outbound, 'probeTls'>): SslProbe {
  return async (url) => {
    if (!url.startsWith('https://')) return { valid: false, expiresAt: null };
    try {
      const { valid, expiresAt } = await outbound.probeTls(url, TIMEOUT);
      return { valid, expiresAt };
    } catch (error) {
      if (error instanceof OutboundError || error instanceof InvalidError) return null;
      throw error;
    }
  };
}
