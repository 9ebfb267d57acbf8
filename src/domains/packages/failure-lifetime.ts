import { MINUTE, SECOND } from '../../shared/clock.ts';
import { PackageSourceError, type DomainError } from '../../shared/errors.ts';

/** Hundreds of sites of a run can need the same package, so a failure is remembered. */
const LASTING = 5 * MINUTE;
/** After an outage of the source, updates must not wait longer for their packages than for the source. */
const TEMPORARY = 30 * SECOND;

const TEMPORARY_FAULTS: readonly unknown[] = ['dns', 'connect', 'tls', 'timeout', 'reset'];

/**
 * Returns the milliseconds for which a failed request for a package is not repeated. Network errors and statuses from
 * 500 can pass soon. A missing or unfit package stays so, and a source that limits requests should not get more.
 */
export function failureLifetimeMs(error: DomainError): number {
  if (!(error instanceof PackageSourceError)) return LASTING;
  const { reason, http_status: status } = error.data;
  const isTemporary = TEMPORARY_FAULTS.includes(reason) || (typeof status === 'number' && status >= 500);
  return isTemporary ? TEMPORARY : LASTING;
}
