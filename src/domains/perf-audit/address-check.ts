import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { InvalidError } from '../../shared/errors.ts';
import { AuditError } from './audit.ts';

/**
 * Throws `AuditError` for a URL that this service must not request. No browser opens it and no provider receives it.
 */
export async function refuseAddress(
  outbound: Pick<Outbound, 'resolve'>,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await outbound.resolve(url, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (cause instanceof InvalidError && cause.code === 'svc_invalid_url')
      throw new AuditError('invalid_url', 'This is no address that can be audited.', { cause });
    if (cause instanceof InvalidError)
      throw new AuditError('address_refused', 'The site lies in a network that may not be called.', { cause });
    if (cause instanceof OutboundError)
      throw new AuditError('page_unreachable', 'The name of the host leads nowhere.', { cause });
    throw cause;
  }
}
