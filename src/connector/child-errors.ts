import type { OutboundError } from '../outbound/index.ts';
import {
  ChildBadAnswerError,
  ChildRefusedError,
  ChildUnreachableError,
  type CallOutcome,
  type ChildLayer,
  type RefusalReason,
} from '../shared/child-call-errors.ts';
import type { DomainError, ErrorData } from '../shared/errors.ts';
import { sanitizeMessage, htmlToText } from './answers/sanitize-message.ts';
import { containsSecret } from './secret-detection.ts';

/**
 * Converts responses that are not a success to errors (protocol 5.3). The messages are ours, and `data.child_message`
 * is a plain excerpt of the child's text. `data.outcome` is the effect of the call on the site. `not_run`: the call did
 * not arrive, or was refused before the child plugin ran anything (see `error-pages.ts`). `answered`: the child itself
 * responded, in its frame. `open`: the connection broke after the call was sent, or the response was not from the
 * child, so the call may have had its effect.
 */

export function outboundErrorToChildError(error: OutboundError): ChildUnreachableError | ChildBadAnswerError {
  const outcome: CallOutcome = error.sent ? 'open' : 'not_run';
  const unreachable = (layer: ChildLayer, message: string): ChildUnreachableError =>
    new ChildUnreachableError(layer, message, { outcome }, { cause: error });
  switch (error.fault) {
    case 'dns':
      return unreachable('dns', 'The host name of the site could not be resolved.');
    case 'connect':
      return unreachable('connect', 'The site refused the connection.');
    case 'tls':
      return unreachable('tls', 'The TLS connection failed or the certificate is not trusted.');
    case 'timeout':
      return error.sent
        ? unreachable('http', 'The site did not answer in time.')
        : unreachable('connect', 'The connection to the site timed out.');
    case 'body_too_large':
      return new ChildBadAnswerError('The response of the site is too large.', { outcome }, { cause: error });
    case 'bad_encoding':
      return new ChildBadAnswerError(
        'The site sent a compressed response that was not requested.',
        { outcome },
        { cause: error },
      );
    case 'reset':
    case 'aborted':
    case 'too_many_redirects':
      return unreachable('http', 'The connection to the site was interrupted.');
  }
}

/** Error for status 200 without a body: the work began, and a gateway cut off the response. */
export const emptyResponseError = (): ChildUnreachableError =>
  new ChildUnreachableError('http', 'The site closed the connection before it sent a response.', {
    http_status: 200,
    outcome: 'open',
  });

export interface ChildError {
  message: string;
  /** Original text. To find the cause, it is compared with other responses of the site. Never shown. */
  sentence: string;
  /** True if the text or the code repeats a secret, so they must not be shown. */
  leaks: boolean;
  code: string | null;
  /** True for the English text of a refused signature. In other languages, only further requests can detect it. */
  authentication: boolean;
}

const MAX_EXAMINED_CHARS = 8 * 1024;

/** Returns null if there is no `error`, or if it is an object, as in theme actions (protocol 4.2). */
export function parseChildError(value: unknown, secrets: () => readonly string[] = () => []): ChildError | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const error = Object.hasOwn(value, 'error') ? (value as { error: unknown }).error : undefined;
  const code = Object.hasOwn(value, 'error_code') ? (value as { error_code: unknown }).error_code : undefined;
  if (typeof error !== 'string') return null;
  return {
    message: sanitizeMessage(error),
    sentence: error.slice(0, MAX_EXAMINED_CHARS),
    code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : null,
    leaks: [error.slice(0, MAX_EXAMINED_CHARS), code].some(
      (text) => typeof text === 'string' && containsSecret(text, secrets()),
    ),
    authentication: htmlToText(error).startsWith('Authentication failed'),
  };
}

type Refusal = readonly [reason: RefusalReason, layer: ChildLayer, message: string];

const ALREADY: Refusal = ['already_connected', 'auth', 'The site is already connected to a dashboard.'];
const BAD_PASSWORD: Refusal = ['bad_password', 'auth', 'The site rejected the user name or the password.'];
const NO_PASSWORD: Refusal = ['password_required', 'auth', 'The site requires the password of the administrator.'];
const UNKNOWN_USER: Refusal = ['unknown_user', 'auth', 'The administrator does not exist on the site.'];
const NOT_ADMIN: Refusal = ['not_admin', 'auth', 'The user is not an administrator of the site.'];

const REGISTER: Record<string, Refusal> = {
  REG_ERROR2: ALREADY,
  REG_ERROR3: ['unique_id_required', 'auth', 'The site requires its unique security ID.'],
  REG_ERROR4: ['unique_id_mismatch', 'auth', 'The unique security ID does not match the site.'],
  REG_ERROR5: ['site_fatal', 'wordpress', 'PHP on the site lacks the OpenSSL library.'],
  REG_ERROR6: ['site_fatal', 'wordpress', 'PHP on the site lacks the cURL extension.'],
  REG_ERROR8: UNKNOWN_USER,
  REG_ERROR9: NOT_ADMIN,
  reconnect_failed: ['reconnect_refused', 'auth', 'The site no longer accepts the stored reconnect token.'],
};

const toChildRefusedError = ([reason, layer, message]: Refusal, error: ChildError): ChildRefusedError =>
  new ChildRefusedError(layer, reason, message, { outcome: 'answered', ...childErrorData(error) });

/** Codes of the protocol (5.2). Any other code may be an arbitrary text, which may contain a secret. */
const KNOWN_CODE = /^(?:(?:REG|PARSE|AUTH)_ERROR\d{1,2}|reconnect_failed|child_plugin_incompatible)$/;

export function childErrorData({ message, code, leaks }: Pick<ChildError, 'message' | 'code' | 'leaks'>): ErrorData {
  if (leaks) return code !== null && KNOWN_CODE.test(code) ? { child_code: code } : {};
  return { ...(message && { child_message: message }), ...(code && { child_code: code }) };
}

/** Converts a refused registration to an error. Unknown user and wrong password have the same code (protocol 2.4). */
export function toRegistrationError(error: ChildError, withPassword: boolean): ChildRefusedError | ChildBadAnswerError {
  const { code } = error;
  const known = code !== null && Object.hasOwn(REGISTER, code) ? REGISTER[code] : undefined;
  if (known) return toChildRefusedError(known, error);
  if (code === 'REG_ERROR7') return toChildRefusedError(withPassword ? BAD_PASSWORD : NO_PASSWORD, error);
  if (code === 'REG_ERROR10') {
    /*
     * The code has two meanings (protocol 2.4). "Forced Reconnect requires" means that the site is connected elsewhere.
     * "not compatible with the new connection protocol" means that the child got no password and no token, and no
     * dashboard version from 5.3 on.
     */
    return toChildRefusedError(/not compatible/i.test(error.message) ? NO_PASSWORD : ALREADY, error);
  }
  return (
    toAdminError(error) ??
    new ChildBadAnswerError('The site refused the registration for an unknown reason.', childErrorData(error))
  );
}

/** Returns an error if the connected administrator was deleted, renamed or demoted (protocol 5.3.4). */
export function toAdminError(error: ChildError): ChildRefusedError | null {
  if (error.code === 'PARSE_ERROR3' || error.message.startsWith('Unexisting administrator')) {
    return unknownUserError(error);
  }
  if (error.code === 'PARSE_ERROR4' || error.message.startsWith('User not administrator')) return notAdminError(error);
  return null;
}

export const unknownUserError = (error: ChildError): ChildRefusedError => toChildRefusedError(UNKNOWN_USER, error);
export const notAdminError = (error: ChildError): ChildRefusedError => toChildRefusedError(NOT_ADMIN, error);

export function keyMismatchError(error: ChildError): ChildRefusedError {
  return toChildRefusedError(['key_mismatch', 'auth', 'The site is connected with another key.'], error);
}

export function algorithmRefusedError(error: ChildError): ChildRefusedError {
  const message =
    'The site accepts our key but not the signature algorithm. Change the algorithm in the advanced settings.';
  return toChildRefusedError(['algorithm_refused', 'auth', message], error);
}

export function notConnectedError(error: ChildError): ChildRefusedError {
  return toChildRefusedError(
    ['not_connected', 'auth', 'The child plugin is active, but not connected to a dashboard.'],
    error,
  );
}

export function operationFailedError(error: ChildError): DomainError {
  if (error.code === 'child_plugin_incompatible') {
    return new ChildBadAnswerError('The child plugin does not know this operation.', {
      outcome: 'not_run',
      ...childErrorData(error),
    });
  }
  return new ChildBadAnswerError('The site could not carry out the operation.', {
    outcome: 'open',
    ...childErrorData(error),
  });
}

/** True for the answer of a child that has already received a request with this signature (protocol 3.3). */
export const isReplayRefusal = (answer: unknown): boolean => parseChildError(answer)?.code === 'AUTH_ERROR2';

/**
 * Returns the error for `isReplayRefusal`. It proves nothing about the key or the call, because the child has examined
 * neither.
 */
export function replayRefusedError(outcome: CallOutcome): ChildBadAnswerError {
  const message = 'The site refuses each signed request as one that it has already received.';
  return new ChildBadAnswerError(message, { outcome, child_code: 'AUTH_ERROR2' });
}

export function unexpectedAnswerError(changing: boolean): ChildBadAnswerError {
  const outcome: CallOutcome = changing ? 'open' : 'answered';
  return new ChildBadAnswerError('The site sent an unexpected response.', { outcome });
}
