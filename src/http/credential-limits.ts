import type { Request } from 'express';
import type { Caller } from '../shared/caller.ts';
import { ForbiddenError } from '../shared/errors.ts';

/** No method waits for an SQL statement. */
export interface CredentialLimits {
  /**
   * True if the credential may be used from the address of a caller. If so, records the use of a credential that has
   * allowed addresses. The use of other credentials is recorded when they are authenticated.
   */
  allowsAddress(caller: Caller, address: string): boolean;
  callsPerMinute(caller: Caller): number | null;
}

/**
 * Returns an error if the credential does not allow the address of the call. Without `X-Forwarded-For`, this is the
 * address of the connection, because `request.ip`, which evaluates `trust proxy`, costs more.
 */
export const addressRefusal = (
  limits: CredentialLimits,
  caller: Caller,
  request: Request,
): ForbiddenError | undefined =>
  limits.allowsAddress(caller, addressOf(request) ?? '')
    ? undefined
    : new ForbiddenError('svc_address_not_allowed', 'This credential must not be used from this address.');

const addressOf = (request: Request): string | undefined =>
  request.headers['x-forwarded-for'] === undefined ? request.socket.remoteAddress : request.ip;
