import type { Request, RequestHandler } from 'express';
import { Passport } from 'passport';
import { Strategy } from 'passport-strategy';
import { LimitExceededError, UnauthenticatedError } from '../shared/errors.ts';
import { MINUTE, type Clock } from '../shared/clock.ts';
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

function basic(check: CredentialCheck): Find {
  return async (request) => {
    const encoded = credentialOf(request, 'basic');
    if (encoded === null) return null;
    const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
    return user && password ? check.byPassword(user, password) : null;
  };
}

function bearer(check: CredentialCheck): Find {
  return async (request) => {
    const key = credentialOf(request, 'bearer');
    return key ? check.byKey(key) : null;
  };
}

/** Counts failures per address in windows of a minute; only failing credentials are ever turned away by it. */
export class LoginFailures {
  static readonly MAX_ADDRESSES = 10_000;
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #windows = new Map<string, { since: number; count: number }>();

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Records one failure; seconds to wait when there were too many, else null. */
  record(address: string): number | null {
    if (this.#limit === 0) return null;
    const now = this.#clock.now();
    let window = this.#windows.get(address);
    if (!window || now - window.since >= MINUTE) {
      if (this.#windows.size >= LoginFailures.MAX_ADDRESSES) this.#dropOld(now);
      window = { since: now, count: 0 };
      this.#windows.set(address, window);
    }
    window.count++;
    return window.count > this.#limit ? Math.ceil((window.since + MINUTE - now) / 1000) : null;
  }

  #dropOld(now: number): void {
    for (const [address, { since }] of this.#windows) if (now - since >= MINUTE) this.#windows.delete(address);
    if (this.#windows.size >= LoginFailures.MAX_ADDRESSES) this.#windows.clear();
  }
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
        response.set('Retry-After', String(wait));
        return next(new LimitExceededError('svc_rate_limited', 'Too many failed logins from this address.'));
      }
      response.set('WWW-Authenticate', CHALLENGE);
      return next(new UnauthenticatedError('svc_unauthenticated', 'The credential is missing or not valid.'));
    });
  };
}
