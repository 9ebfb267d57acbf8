import { OutboundError, type Outbound } from '../../outbound/outbound.ts';
import { InvalidError } from '../../shared/errors.ts';
import { AuditError } from './audit.ts';

/**
 * Throws `AuditError` for a URL that this service must not request. No browser opens it and no provider receives it.
 */
export async function refuseBlockedUrl(
  outbound: Pick<Outbound, 'resolve'>,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await outbound.resolve(url, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    if (cause instanceof InvalidError && cause.code === 'svc_invalid_url')
      throw new AuditError('invalid_url', 'This URL cannot be audited.', { cause });
    if (cause instanceof InvalidError)
      throw new AuditError('address_refused', 'The site is in a network that this service must not call.', { cause });
    if (cause instanceof OutboundError)
      throw new AuditError('page_unreachable', 'The host name could not be resolved.', { cause });
    throw cause;
  }
}
