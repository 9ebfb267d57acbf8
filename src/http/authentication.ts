import type { Request, RequestHandler } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-strategy';
import type { Caller } from '../shared/caller.ts';
import { LimitExceededError, UnauthenticatedError } from '../shared/errors.ts';
import { findCaller, isStorableCredential, readCredential } from './credentials.ts';
import type { LoginFailures } from './login-failures.ts';
import type { CredentialCheck } from './ports.ts';

/** Finds the caller by either scheme, or fails. */
class CallerStrategy extends Strategy {
  readonly name = 'credential';
  // Passport calls it on an object that inherits from this one, which a private member would refuse.
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

/** In the form of the validator's findings, so that each surface says it in its own words. */
const NULL_CHARACTER_ERROR = Object.assign(new Error('U+0000 in a credential'), {
  status: 400,
  errors: [{ path: '/headers/authorization', message: 'must not hold U+0000' }],
});

const CHALLENGE = 'Basic realm="sitefleet", charset="UTF-8", Bearer realm="sitefleet"';

/** Both schemes on both surfaces. Sets `locals.caller`, or answers 401 (429 after too many failures). */
export function authentication(check: CredentialCheck, failures: LoginFailures): RequestHandler {
  const passport = new Passport();
  passport.use(new CallerStrategy(check));
  // passport's type of a middleware is looser than Express's own
  const authenticate = passport.authenticate('credential', {
    session: false,
    assignProperty: 'caller',
    failWithError: true,
  }) as RequestHandler;

  return (request, response, next) => {
    void authenticate(request, response, (error?: unknown) => {
      if (!error) {
        response.locals.caller = (request as { caller?: Caller }).caller;
        return next();
      }
      // Passport says so itself when a credential is refused; everything else is a fault of ours.
      if ((error as Error).name !== 'AuthenticationError') return next(error);
      const wait = request.headers.authorization === undefined ? null : failures.record(request.ip ?? '');
      if (wait !== null) {
        const data = { retry_after_seconds: wait };
        return next(new LimitExceededError('svc_rate_limited', 'Too many failed logins from this address.', data));
      }
      response.set('WWW-Authenticate', CHALLENGE);
      return next(new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.'));
    });
  };
}
