import type { Request, RequestHandler } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-strategy';
import type { Caller } from '../shared/caller.ts';
import { LimitExceededError, UnauthenticatedError } from '../shared/errors.ts';
import { addressRefusal, type CredentialLimits } from './credential-limits.ts';
import { findCaller, isStorableCredential, readCredential } from './credentials.ts';
import type { NetworkLimit } from './network-limit.ts';
import type { CredentialCheck } from './ports.ts';
import { RecentCallers } from './recent-callers.ts';

class CallerStrategy extends Strategy {
  readonly name = 'credential';
  // Not a private field: Passport calls `authenticate` on an object that inherits from this one, where `#check` would
  // throw.
  readonly check: CredentialCheck;

  constructor(check: CredentialCheck) {
    super();
    this.check = check;
  }

  override authenticate(request: Request): void {
    const credential = readCredential(request.headers.authorization);
    if (!credential) return this.fail(401);
    if (!isStorableCredential(credential)) return this.error(NULL_CHARACTER_ERROR);
    findCaller(this.check, credential).then(
      (caller) => (caller ? this.success(caller) : this.fail(401)),
      (error: Error) => this.error(error),
    );
  }
}

/** Has the form of a validation error, so each surface (such as `v2`) reports it with its own code. */
const NULL_CHARACTER_ERROR = Object.assign(new Error('U+0000 in a credential'), {
  status: 400,
  errors: [{ path: '/headers/authorization', message: 'must not contain U+0000' }],
});

const CHALLENGE = 'Basic realm="sitefleet", charset="UTF-8", Bearer realm="sitefleet"';

/**
 * Accepts Basic and Bearer. Sets `locals.caller`, or throws `svc_unauthenticated`, `svc_address_not_allowed`, or
 * `svc_rate_limited` after too many failed logins from one address.
 */
export function authentication(
  check: CredentialCheck,
  limits: CredentialLimits,
  failures: NetworkLimit,
): RequestHandler {
  const passport = new Passport();
  passport.use(new CallerStrategy(check));
  const authenticate = passport.authenticate('credential', {
    session: false,
    assignProperty: 'caller',
    failWithError: true,
  }) as RequestHandler;

  const recent = new RecentCallers(check);
  return (request, response, next) => {
    const { authorization } = request.headers;
    const known = recent.find(authorization);
    if (known) {
      response.locals.caller = known;
      return next(addressRefusal(limits, known, request));
    }
    void authenticate(request, response, (error?: unknown) => {
      if (!error) {
        const { caller } = request as { caller?: Caller };
        response.locals.caller = caller;
        recent.add(authorization, caller);
        return next(caller && addressRefusal(limits, caller, request));
      }
      // Passport throws an `AuthenticationError` for a refused credential. Every other error is a fault of the service.
      if ((error as Error).name !== 'AuthenticationError') return next(error);
      const wait = authorization === undefined ? null : failures.record(request.ip ?? '');
      if (wait !== null) {
        const data = { retry_after_seconds: wait };
        return next(
          new LimitExceededError(
            'svc_rate_limited',
            'There were too many failed logins from this address. Try again later.',
            data,
          ),
        );
      }
      response.set('WWW-Authenticate', CHALLENGE);
      return next(new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.'));
    });
  };
}
