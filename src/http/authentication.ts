import type { Request, RequestHandler } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-strategy';
import { LimitExceededError, UnauthenticatedError } from '../shared/errors.ts';
import type { LoginFailures } from './login-failures.ts';
import type { Caller, CredentialCheck } from './ports.ts';

type Find = (request: Request) => Promise<Caller | null>;

/** One scheme: finds the caller or fails, so that the next scheme is tried. */
class CallerStrategy extends Strategy {
  readonly name: string;
  // Passport calls it on an object that inherits from this one, which a private member would refuse.
  readonly find: Find;

  constructor(name: string, find: Find) {
    super();
    this.name = name;
    this.find = find;
  }

  override authenticate(request: Request): void {
    this.find(request).then(
      (caller) => (caller ? this.success(caller) : this.fail(401)),
      (error: Error) => this.error(error),
    );
  }
}

const BEARER = /^bearer +\S/i;

const credentialOf = (request: Request, scheme: string): string | null => {
  const match = /^(\S+) +(\S.*)$/.exec(request.get('authorization') ?? '');
  return match && match[1]?.toLowerCase() === scheme ? (match[2] ?? '').trim() : null;
};

/** In the form of the validator's findings, so that each surface says it in its own words. */
const NO_TEXT = Object.assign(new Error('U+0000 in a credential'), {
  status: 400,
  errors: [{ path: '/headers/authorization', message: 'must not hold U+0000' }],
});

function basic(check: CredentialCheck): Find {
  return async (request) => {
    const encoded = credentialOf(request, 'basic');
    if (encoded === null) return null;
    const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    if (!user || !password) return null;
    if (`${user}${password}`.includes('\0')) throw NO_TEXT;
    return check.byPassword(user, password);
  };
}

function bearer(check: CredentialCheck): Find {
  return async (request) => {
    const key = credentialOf(request, 'bearer');
    return key ? check.byKey(key) : null;
  };
}

const CHALLENGE = 'Basic realm="sitefleet", charset="UTF-8", Bearer realm="sitefleet"';

/** Both schemes on both surfaces. Sets `locals.caller`, or answers 401 (429 after too many failures). */
export function authentication(check: CredentialCheck, failures: LoginFailures): RequestHandler {
  const passport = new Passport();
  passport.use(new CallerStrategy('basic', basic(check)));
  passport.use(new CallerStrategy('bearer', bearer(check)));
  const options = { session: false, assignProperty: 'caller', failWithError: true };
  // passport's type of a middleware is looser than Express's own
  const schemes = {
    basic: passport.authenticate('basic', options) as RequestHandler,
    bearer: passport.authenticate('bearer', options) as RequestHandler,
  };

  return (request, response, next) => {
    const scheme = BEARER.test(request.headers.authorization ?? '') ? 'bearer' : 'basic';
    void schemes[scheme](request, response, (error?: unknown) => {
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
