/**
 * A code is stable and belongs to one kind, and the kind determines the HTTP status. `openapi/shared/errors.yaml` lists
 * the same codes for callers, and a test compares the two lists.
 */
export const ERROR_KINDS = {
  invalid: {
    status: 400,
    codes: [
      'ability_invalid_input',
      'rest_invalid_param',
      'rest_invalid_json',
      'svc_confirmation_required',
      'svc_invalid_url',
      'svc_address_refused',
      'svc_rest_empty_batch',
      'svc_malformed_request',
    ],
  },
  unauthenticated: { status: 401, codes: ['svc_unauthenticated'] },
  forbidden: { status: 403, codes: ['svc_permission_denied', 'svc_outside_limits', 'svc_address_not_allowed'] },
  notFound: {
    status: 404,
    codes: [
      'rest_no_route',
      'rest_ability_not_found',
      'rest_ability_category_not_found',
      'svc_site_not_found',
      'svc_no_website_found',
      'svc_client_not_found',
      'svc_tag_not_found',
      'svc_client_field_not_found',
      'svc_cost_not_found',
      'svc_product_type_not_found',
      'svc_payment_method_not_found',
      'svc_job_not_found',
      'svc_schedule_not_found',
      'svc_backup_provider_not_found',
      'svc_role_not_found',
      'svc_user_not_found',
      'svc_api_key_not_found',
      'svc_theme_not_found',
      'svc_post_not_found',
      'svc_page_not_found',
      'svc_module_not_available',
      'svc_module_not_found',
      'svc_no_updates',
      'svc_comment_not_found',
      'svc_site_user_not_found',
      'svc_mail_not_found',
      'svc_mail_type_not_found',
      'svc_monitor_not_found',
      'svc_task_not_found',
      'svc_bucket_not_found',
      'svc_report_schedule_not_found',
      'svc_report_template_not_found',
      'svc_report_not_found',
      'svc_vulnerability_not_found',
      'svc_fix_not_found',
      'svc_pin_not_found',
      'svc_package_not_found',
    ],
  },
  methodNotAllowed: { status: 405, codes: ['rest_ability_invalid_method', 'rest_invalid_method'] },
  conflict: {
    status: 409,
    codes: [
      'svc_ambiguous_site',
      'svc_site_already_exists',
      'svc_already_exists',
      'svc_built_in',
      'svc_in_use',
      'svc_site_suspended',
      'svc_client_suspended',
      'svc_report_not_made',
      'svc_report_waiting',
      'svc_report_not_waiting',
      'svc_site_disconnected',
      'svc_child_outdated',
      'svc_backup_required',
      'svc_post_invalid_state',
      'svc_post_locked',
      'svc_job_not_finished',
      'svc_nothing_to_retry',
      'svc_job_finished',
      'svc_schedule_running',
      'svc_schedule_misconfigured',
      'svc_comment_invalid_state',
      'svc_site_user_refused',
      'svc_connected_administrator',
      'svc_timer_already_running',
      'svc_timer_not_running',
      'svc_timer_other_running',
      'svc_timer_running',
      'svc_task_billed',
      'svc_last_api_key',
      'svc_preset_api_key',
      'svc_mail_under_way',
      'svc_mail_not_sendable',
      'svc_package_refused',
      'svc_no_earlier_version',
      'svc_package_vault_full',
      'svc_idempotency_conflict',
      'svc_idempotency_in_progress',
    ],
  },
  requestTimeout: { status: 408, codes: ['svc_request_timeout'] },
  preconditionFailed: { status: 412, codes: ['svc_precondition_failed'] },
  tooLarge: { status: 413, codes: ['svc_request_too_large'] },
  unsupportedMediaType: { status: 415, codes: ['rest_unsupported_media_type'] },
  headersTooLarge: { status: 431, codes: ['svc_headers_too_large'] },
  limitExceeded: { status: 429, codes: ['svc_rate_limited'] },
  internal: { status: 500, codes: ['svc_internal_error'] },
  childRefused: { status: 502, codes: ['svc_site_refused'] },
  childBadAnswer: { status: 502, codes: ['svc_site_bad_answer'] },
  outcomeUnknown: { status: 502, codes: ['svc_outcome_unknown'] },
  backupProvider: { status: 502, codes: ['svc_backup_provider_failed'] },
  feed: { status: 502, codes: ['svc_feed_failed'] },
  audit: { status: 502, codes: ['svc_audit_failed'] },
  domainLookup: { status: 502, codes: ['svc_domain_lookup_failed'] },
  packageSource: { status: 502, codes: ['svc_package_source_failed'] },
  updateFailed: { status: 502, codes: ['svc_update_failed'] },
  stopping: { status: 503, codes: ['svc_stopping'] },
  childUnreachable: { status: 503, codes: ['svc_site_unreachable'] },
  databaseUnavailable: { status: 503, codes: ['svc_database_unavailable'] },
} as const;

export type ErrorKind = keyof typeof ERROR_KINDS;
export type CodeOf<K extends ErrorKind> = (typeof ERROR_KINDS)[K]['codes'][number];
export type ErrorCode = CodeOf<ErrorKind>;

/** Each API replaces this code with its own: `ability_invalid_input` or `rest_invalid_param`. */
export const INVALID_INPUT = 'invalid_input';

export const ITEM_ERROR_CODES = [
  'svc_cost_not_found',
  'svc_report_not_found',
  'svc_report_schedule_not_found',
  'svc_client_not_found',
  'svc_no_website_found',
  'svc_backup_provider_failed',
  'svc_feed_failed',
  'svc_audit_failed',
  'svc_domain_lookup_failed',
  'svc_site_not_found',
  'svc_outside_limits',
  'svc_ambiguous_site',
  'svc_site_suspended',
  'svc_site_disconnected',
  'svc_child_outdated',
  'svc_site_unreachable',
  'svc_site_refused',
  'svc_site_bad_answer',
  'svc_address_refused',
  'svc_invalid_url',
  'svc_plugin_not_found',
  'svc_theme_not_found',
  'svc_protected_item',
  'svc_activation_failed',
  'svc_deactivation_failed',
  'svc_deletion_failed',
  'svc_no_update',
  'svc_update_ignored',
  'svc_update_held',
  'svc_update_pinned',
  'svc_pin_not_found',
  'svc_update_failed',
  'svc_backup_required',
  'svc_comment_not_found',
  'svc_comment_invalid_state',
  'svc_already_exists',
  'svc_site_user_refused',
  'svc_mail_not_sent',
  'svc_still_running',
  'svc_outcome_unknown',
  'svc_cancelled',
  'svc_ring_stopped',
  'svc_package_not_found',
  'svc_package_refused',
  'svc_package_vault_full',
  'svc_package_source_failed',
  'svc_install_failed',
  'svc_no_earlier_version',
  'svc_no_fix',
  'svc_not_exposed',
  'svc_fix_stopped',
  'svc_no_fallback',
  'svc_guard_failed',
  'svc_rolled_back',
  'svc_rollback_failed',
  'svc_confirmation_required',
  'svc_database_unavailable',
  'svc_internal_error',
] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export const isItemErrorCode = (code: string): code is ItemErrorCode =>
  (ITEM_ERROR_CODES as readonly string[]).includes(code);

/** `path` is dotted. The API of the call converts it to the name that the caller used, such as `input.page`. */
export interface FieldError {
  path: string;
  message: string;
}

const MAX_NAMED_FIELDS = 10;

/** Joins errors for a message. `more` is the number of errors that `fields` does not contain. */
export function joinFieldErrors(fields: readonly FieldError[], more = 0): string {
  const words = fields.slice(0, MAX_NAMED_FIELDS).map(({ path, message }) => `${path} ${message}`.trim());
  const left = more + fields.length - words.length;
  return [...words, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

export type ErrorData = Record<string, unknown> & { errors?: FieldError[] };

/** `message` is one sentence for a person. It must not contain secrets or text from a child site. */
export abstract class DomainError extends Error {
  abstract readonly kind: ErrorKind;
  readonly code: ErrorCode | typeof INVALID_INPUT;
  readonly data: ErrorData;

  constructor(code: DomainError['code'], message: string, data: ErrorData = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }

  get status(): number {
    return ERROR_KINDS[this.kind].status;
  }
}

function errorClassFor<K extends ErrorKind>(kind: K) {
  return class extends DomainError {
    readonly kind = kind;
    declare readonly code: CodeOf<K>;
    constructor(code: CodeOf<K>, message: string, data?: ErrorData, options?: ErrorOptions) {
      super(code, message, data, options);
    }
  };
}

/**
 * Error of invalid input. The paths of `fields` are the names in the source code that throws. The API that received the
 * input replaces the paths and `code` with its own. Without a `summary`, the message lists the fields.
 */
export class InvalidError extends DomainError {
  readonly kind = 'invalid';
  declare readonly code: CodeOf<'invalid'> | typeof INVALID_INPUT;
  readonly summary: string | null;

  constructor(fields: readonly FieldError[], summary: string | null = null, own: InvalidErrorOptions = {}) {
    const { code = INVALID_INPUT, data, cause } = own;
    const errors = fields.length > 0 ? [...fields] : undefined;
    super(code, summary ?? `${joinFieldErrors(fields)}.`, { ...data, ...(errors && { errors }) }, { cause });
    this.summary = summary;
  }
}

interface InvalidErrorOptions extends ErrorOptions {
  code?: CodeOf<'invalid'>;
  data?: ErrorData;
}

export class CodedInvalidError extends InvalidError {
  declare readonly code: CodeOf<'invalid'>;
  constructor(code: CodeOf<'invalid'>, message: string, data: ErrorData = {}, options: ErrorOptions = {}) {
    const { errors = [], ...rest } = data;
    super(errors, message, { code, data: rest, ...options });
  }
}
export class UnauthenticatedError extends errorClassFor('unauthenticated') {}
export class ForbiddenError extends errorClassFor('forbidden') {}
export class NotFoundError extends errorClassFor('notFound') {}
export const siteDeletedError = (): NotFoundError =>
  new NotFoundError('svc_site_not_found', 'The site was deleted during the call.');
export class MethodNotAllowedError extends errorClassFor('methodNotAllowed') {}
export class ConflictError extends errorClassFor('conflict') {}
export class PreconditionFailedError extends errorClassFor('preconditionFailed') {}
export class TooLargeError extends errorClassFor('tooLarge') {}
export class HeadersTooLargeError extends errorClassFor('headersTooLarge') {}
export class RequestTimeoutError extends errorClassFor('requestTimeout') {}
export class AuditFailedError extends errorClassFor('audit') {}
export class BackupProviderError extends errorClassFor('backupProvider') {}
export class FeedError extends errorClassFor('feed') {}
export class PackageSourceError extends errorClassFor('packageSource') {}
/** The registry could not be contacted, or has no record of the domain. */
export class DomainLookupError extends errorClassFor('domainLookup') {}
/** The process is shutting down. Nothing was done. */
export class StoppingError extends errorClassFor('stopping') {}
export class UnsupportedMediaTypeError extends errorClassFor('unsupportedMediaType') {}
export class LimitExceededError extends errorClassFor('limitExceeded') {}
/** Its cause is logged and never shown to the caller. */
export class InternalError extends errorClassFor('internal') {}

export class DatabaseUnavailableError extends errorClassFor('databaseUnavailable') {}

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

/** The site responded, but the item was not updated. */
export class UpdateFailedError extends errorClassFor('updateFailed') {}

export interface ItemError {
  identifier: string | number;
  code: ItemErrorCode;
  message: string;
  site_id?: number;
  site_url?: string;
  type?: string;
  slug?: string;
  job_id?: string;
  /** Stable identifier of the cause. For a failed update, the error code of WordPress. */
  reason?: string;
  /** Message of the site as plain text. */
  child_message?: string;
  rollback?: UpdateRollback;
}

/** Attempt to restore the version from before an update, with the field names of the API. */
export interface UpdateRollback {
  result: 'done' | 'failed';
  old_version: string;
  new_version: string;
  /** Check that found the site broken. Null if the site itself was never broken. */
  probe: string | null;
  /** Message, file and line of the fatal error in PHP; null if WordPress names none. */
  cause: string | null;
  file: string | null;
  line: number | null;
  /** Null if the rollback failed. */
  broken_seconds: number | null;
  pin: string | null;
  left: Remainder[];
}

/** What an update, activation or deactivation leaves on a site although it was rolled back. */
export type Remainder = 'database' | 'new_version' | 'inactive_plugin' | 'active_plugin' | 'guard_file';

export function itemErrorOf(identifier: string | number, error: unknown, place: Partial<ItemError> = {}): ItemError {
  if (error instanceof DomainError && isItemErrorCode(error.code))
    return { identifier, code: error.code, message: error.message, ...childErrorFieldsOf(error), ...place };
  return { identifier, code: 'svc_internal_error', message: 'Something went wrong on our side.', ...place };
}

function childErrorFieldsOf({
  data: { reason, child_message },
}: DomainError): Pick<ItemError, 'reason' | 'child_message'> {
  return {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof child_message === 'string' && { child_message }),
  };
}
