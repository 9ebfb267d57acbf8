import { DomainError, errorClassFor, type ErrorData } from './errors.ts';

export const CHILD_LAYERS = ['dns', 'connect', 'tls', 'http', 'auth', 'protocol', 'wordpress'] as const;
export type ChildLayer = (typeof CHILD_LAYERS)[number];

export const REFUSAL_REASONS = [
  'bad_password',
  'password_required',
  'unknown_user',
  'not_admin',
  'unique_id_required',
  'unique_id_mismatch',
  'already_connected',
  'reconnect_refused',
  'key_mismatch',
  'algorithm_refused',
  'not_connected',
  'plugin_missing',
  'no_wordpress',
  'not_installed',
  'blocked',
  'redirected',
  'request_too_large',
  'maintenance',
  'database_error',
  'bad_gateway',
  'gateway_timeout',
  'aborted',
  'site_fatal',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/**
 * Effect of a failed call on the site. `not_run`: the call was refused before anything ran. `answered`: the site itself
 * responded, so nothing is still running. `open`: the call may have had its effect, so read the state of the site
 * before you report a result.
 */
const CALL_OUTCOMES = ['not_run', 'answered', 'open'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

type ChildCallErrorData = ErrorData & { outcome?: CallOutcome };

const BEFORE_SENDING: readonly ChildLayer[] = ['dns', 'connect', 'tls'];

/**
 * The site sent no HTTP response. `data.layer` tells if the name resolution, the connection or TLS failed. `http` means
 * that the connection was lost or the call timed out.
 */
export class ChildUnreachableError extends errorClassFor('childUnreachable') {
  readonly layer: ChildLayer;
  constructor(layer: ChildLayer, message: string, data: ChildCallErrorData = {}, options?: ErrorOptions) {
    const outcome = BEFORE_SENDING.includes(layer) ? 'not_run' : 'open';
    super('svc_site_unreachable', message, { layer, outcome, ...data }, options);
    this.layer = layer;
  }
}

export class ChildRefusedError extends errorClassFor('childRefused') {
  readonly layer: ChildLayer;
  readonly reason: RefusalReason;
  /** ID of the key that the site refused; null if unknown. Callers do not see it. */
  keyId: string | null = null;
  constructor(layer: ChildLayer, reason: RefusalReason, message: string, data: ChildCallErrorData = {}) {
    super('svc_site_refused', message, {
      layer,
      reason,
      outcome: reason === 'site_fatal' ? 'open' : 'not_run',
      ...data,
    });
    this.layer = layer;
    this.reason = reason;
  }
}

/** True if the site does not accept the key of a call. Such a call has done nothing. */
export const isKeyRefusal = (error: unknown): error is ChildRefusedError =>
  error instanceof ChildRefusedError && (error.reason === 'key_mismatch' || error.reason === 'not_connected');

export class ChildBadAnswerError extends errorClassFor('childBadAnswer') {
  readonly layer: ChildLayer;
  constructor(message: string, data: ChildCallErrorData = {}, options?: ErrorOptions) {
    super('svc_site_bad_answer', message, { layer: 'protocol', outcome: 'open', ...data }, options);
    this.layer = 'protocol';
  }
}

/** Returns `not_run` for errors of this service, because their calls were never sent. */
export function callOutcomeOf({ data }: DomainError): CallOutcome {
  return CALL_OUTCOMES.find((outcome) => outcome === data['outcome']) ?? 'not_run';
}

export function isOutcomeUnknown(error: unknown): error is DomainError {
  return error instanceof DomainError && callOutcomeOf(error) === 'open';
}

/**
 * Reasons after which the site may still be working: PHP does not notice that the gateway in front of it has given up.
 */
const GATEWAY_REASONS: readonly RefusalReason[] = ['gateway_timeout', 'bad_gateway'];

/**
 * True if the site may still be executing a failed write call, because only the connection or the waiting ended. An
 * unchanged state then does not prove that the call had no effect.
 */
export function mayStillBeRunning(error: unknown): error is DomainError {
  if (!isOutcomeUnknown(error)) return false;
  return (
    error instanceof ChildUnreachableError ||
    (error instanceof ChildRefusedError && GATEWAY_REASONS.includes(error.reason))
  );
}

export class OutcomeUnknownError extends errorClassFor('outcomeUnknown') {}
