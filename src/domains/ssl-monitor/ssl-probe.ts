import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { SECOND, type Clock } from '../../shared/clock.ts';
import { InvalidError } from '../../shared/errors.ts';
import type { SslProbe } from '../sites/index.ts';
import { certificateFaultOf, isValidOrExpiring, sslStateOf } from './ssl-state.ts';

const TIMEOUT = 10 * SECOND;

/** Creates a probe that returns null if the check is not possible, so that the stored result is kept. */
export function createSslProbe(outbound: Pick<Outbound, 'probeTls'>, clock: Clock): SslProbe {
  return async (url) => {
    if (!url.startsWith('https://')) return { valid: false, expiresAt: null };
    try {
      const probe = await outbound.probeTls({ url, deadlineMs: TIMEOUT });
      const { validFrom, validTo } = probe.certificate;
      const evidence = { isChecked: true, fault: certificateFaultOf(probe), validFrom, validTo };
      const state = sslStateOf(evidence, { now: clock.now(), thresholdDays: 0 });
      return { valid: isValidOrExpiring(state), expiresAt: validTo };
    } catch (error) {
      if (error instanceof OutboundError && error.fault === 'tls') return { valid: false, expiresAt: null };
      if (error instanceof OutboundError || error instanceof InvalidError) return null;
      throw error;
    }
  };
}
