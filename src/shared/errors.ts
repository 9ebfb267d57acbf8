/**
 * The closed set of errors that the product answers with.
 *
 * A code is stable and belongs to one kind; the kind decides the HTTP status. `openapi/shared/errors.yaml` lists the
 * same codes for callers, and a test compares the two.
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
  forbidden: { status: 403, codes: ['svc_permission_denied'] },
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
      'svc_report_not_found',
      'svc_vulnerability_not_found',
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
      'svc_site_disconnected',
      'svc_child_outdated',
      'svc_backup_required',
      'svc_post_invalid_state',
      'svc_post_locked',
      'svc_job_not_finished',
      'svc_nothing_to_retry',
      'svc_job_finished',
      'svc_schedule_running',
      'svc_comment_invalid_state',
      'svc_site_user_refused',
      'svc_connected_administrator',
      'svc_timer_already_running',
      'svc_timer_not_running',
      'svc_timer_other_running',
      'svc_timer_running',
      'svc_task_billed',
      'svc_last_api_key',
      'svc_mail_under_way',
      'svc_mail_not_sendable',
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
  updateFailed: { status: 502, codes: ['svc_update_failed'] },
  stopping: { status: 503, codes: ['svc_stopping'] },
  childUnreachable: { status: 503, codes: ['svc_site_unreachable'] },
  databaseUnavailable: { status: 503, codes: ['svc_database_unavailable'] },
} as const;

export type ErrorKind = keyof typeof ERROR_KINDS;
export type CodeOf<K extends ErrorKind> = (typeof ERROR_KINDS)[K]['codes'][number];
export type ErrorCode = CodeOf<ErrorKind>;

/** The code of input that breaks a rule, until a surface calls it by its own. */
export const INVALID_INPUT = 'invalid_input';

/**
 * What one item of a call over several can fail with: codes of its own, and those whole calls that a single item can
 * meet.
 */
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
  'svc_database_unavailable',
  'svc_internal_error',
] as const;
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number];

export const isItemErrorCode = (code: string): code is ItemErrorCode =>
  (ITEM_ERROR_CODES as readonly string[]).includes(code);

/** What is wrong with one field; `path` is dotted, and a surface answers it as the caller wrote it: `input.page`. */
export interface FieldError {
  path: string;
  message: string;
}

/** Fields that a message names; all of them stand in the data. */
const IN_WORDS = 10;

/** What is wrong with some fields, and with how many more. */
export function inWords(fields: readonly FieldError[], more = 0): string {
  const words = fields.slice(0, IN_WORDS).map(({ path, message }) => `${path} ${message}`.trim());
  const left = more + fields.length - words.length;
  return [...words, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

export type ErrorData = Record<string, unknown> & { errors?: FieldError[] };

/**
 * What every layer below HTTP throws. `message` is one sentence for a person and carries no secret and no child text.
 */
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

/** Makes the class of one kind, so that a code of another kind does not compile. */
function errorOf<K extends ErrorKind>(kind: K) {
  return class extends DomainError {
    readonly kind = kind;
    declare readonly code: CodeOf<K>;
    constructor(code: CodeOf<K>, message: string, data?: ErrorData, options?: ErrorOptions) {
      super(code, message, data, options);
    }
  };
}

/**
 * The input breaks a rule. Fields are called as whoever throws calls them; the surface that the input came in by
 * answers with its own code and its own names. Without a message the fields say it all.
 */
export class InvalidError extends DomainError {
  readonly kind = 'invalid';
  declare readonly code: CodeOf<'invalid'> | typeof INVALID_INPUT;
  /** Null where the message only repeats the fields. */
  readonly summary: string | null;

  constructor(fields: readonly FieldError[], summary: string | null = null, own: OwnWords = {}) {
    const { code = INVALID_INPUT, data, cause } = own;
    const errors = fields.length > 0 ? [...fields] : undefined;
    super(code, summary ?? `${inWords(fields)}.`, { ...data, ...(errors && { errors }) }, { cause });
    this.summary = summary;
  }
}

interface OwnWords extends ErrorOptions {
  code?: CodeOf<'invalid'>;
  data?: ErrorData;
}

/** The same under a code that says by itself which rule is broken, or that a surface has given it. */
export class CodedInvalidError extends InvalidError {
  declare readonly code: CodeOf<'invalid'>;
  constructor(code: CodeOf<'invalid'>, message: string, data: ErrorData = {}, options: ErrorOptions = {}) {
    const { errors = [], ...rest } = data;
    super(errors, message, { code, data: rest, ...options });
  }
}
/** No credential, or one that is unknown, disabled or expired. */
export class UnauthenticatedError extends errorOf('unauthenticated') {}
/** A known caller without the right. */
export class ForbiddenError extends errorOf('forbidden') {}
/** Nothing goes by this reference. */
export class NotFoundError extends errorOf('notFound') {}
export class MethodNotAllowedError extends errorOf('methodNotAllowed') {}
/** The state of a thing does not allow what was asked. */
export class ConflictError extends errorOf('conflict') {}
/** The caller would overwrite what it has not seen. */
export class PreconditionFailedError extends errorOf('preconditionFailed') {}
export class TooLargeError extends errorOf('tooLarge') {}
/** The HTTP parser found header lines beyond its limit. */
export class HeadersTooLargeError extends errorOf('headersTooLarge') {}
export class RequestTimeoutError extends errorOf('requestTimeout') {}
/** A page could not be audited. */
export class AuditFailedError extends errorOf('audit') {}
/** A service that makes backups could not be asked. */
export class BackupProviderError extends errorOf('backupProvider') {}
/** A feed of vulnerabilities could not be had or read. */
export class FeedError extends errorOf('feed') {}
/** The registry of a domain could not be asked, or has no record. */
export class DomainLookupError extends errorOf('domainLookup') {}
/** The process is about to end; nothing was done. */
export class StoppingError extends errorOf('stopping') {}
export class UnsupportedMediaTypeError extends errorOf('unsupportedMediaType') {}
export class LimitExceededError extends errorOf('limitExceeded') {}
/** A fault of ours; the cause is logged and never answered. */
export class InternalError extends errorOf('internal') {}

/** Our own database cannot be had or written; the cause is logged and never answered. */
export class DatabaseUnavailableError extends errorOf('databaseUnavailable') {}

/** Where a call to a child site broke. */
export const CHILD_LAYERS = ['dns', 'connect', 'tls', 'http', 'auth', 'protocol', 'wordpress'] as const;
export type ChildLayer = (typeof CHILD_LAYERS)[number];

/** Why a child site said no. */
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
 * What a call that failed has left on the site. `not_run`: it was refused before anything ran. `answered`: the site
 * itself answered. `open`: it may have had its effect, and the state must be read before anything else is said of it.
 */
const CALL_OUTCOMES = ['not_run', 'answered', 'open'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** What the errors of calls to sites carry beside their details. */
type CallData = ErrorData & { outcome?: CallOutcome };

/** Layers at which a call breaks before anything of it was sent. */
const BEFORE_SENDING: readonly ChildLayer[] = ['dns', 'connect', 'tls'];

/** No HTTP answer came: name, connection, TLS or time. `data.layer` says which. */
export class ChildUnreachableError extends errorOf('childUnreachable') {
  readonly layer: ChildLayer;
  constructor(layer: ChildLayer, message: string, data: CallData = {}, options?: ErrorOptions) {
    const outcome = BEFORE_SENDING.includes(layer) ? 'not_run' : 'open';
    super('svc_site_unreachable', message, { layer, outcome, ...data }, options);
    this.layer = layer;
  }
}

/** The site answered and said no. `data.layer` and `data.reason` say how. */
export class ChildRefusedError extends errorOf('childRefused') {
  readonly layer: ChildLayer;
  readonly reason: RefusalReason;
  constructor(layer: ChildLayer, reason: RefusalReason, message: string, data: CallData = {}) {
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

/** The site answered with something that the protocol does not know. */
export class ChildBadAnswerError extends errorOf('childBadAnswer') {
  readonly layer: ChildLayer;
  constructor(message: string, data: CallData = {}, options?: ErrorOptions) {
    super('svc_site_bad_answer', message, { layer: 'protocol', outcome: 'open', ...data }, options);
    this.layer = 'protocol';
  }
}

/** What the call that ended with this error has left on the site. What is refused on our side never left. */
export function outcomeOf({ data }: DomainError): CallOutcome {
  return CALL_OUTCOMES.find((outcome) => outcome === data['outcome']) ?? 'not_run';
}

/**
 * Whether a changing call that broke may have had its effect: its state must be read before anything else is said of
 * it.
 */
export function isOutcomeOpen(error: unknown): error is DomainError {
  return error instanceof DomainError && outcomeOf(error) === 'open';
}

/** A gateway in front of the site gave up; PHP behind it is not told and goes on. */
const GATEWAY_REASONS: readonly RefusalReason[] = ['gateway_timeout', 'bad_gateway'];

/**
 * Whether the site may still be at work on a changing call that broke: the connection or our patience ended, not the
 * work. A state that is read now as it was before proves nothing then.
 */
export function isStillAtWork(error: unknown): error is DomainError {
  if (!isOutcomeOpen(error)) return false;
  return (
    error instanceof ChildUnreachableError ||
    (error instanceof ChildRefusedError && GATEWAY_REASONS.includes(error.reason))
  );
}

/** The call broke off after it was sent, and what the site made of it cannot be proven. */
export class OutcomeUnknownError extends errorOf('outcomeUnknown') {}

/** The site answered, and what was to be updated is as it was. */
export class UpdateFailedError extends errorOf('updateFailed') {}

/** What stands in an `errors` array next to the successes of a call over several items. */
export interface ItemError {
  identifier: string | number;
  code: ItemErrorCode;
  message: string;
  site_id?: number;
  site_url?: string;
  type?: string;
  slug?: string;
  job_id?: string;
  /** Stable word for the cause; for an update that failed, WordPress' own code. */
  reason?: string;
  /** The site's own sentence, as plain text. */
  child_message?: string;
}

/** Turns whatever one item threw into its entry in `errors`; faults of ours are named without their text. */
export function itemErrorOf(identifier: string | number, error: unknown, place: Partial<ItemError> = {}): ItemError {
  if (error instanceof DomainError && isItemErrorCode(error.code))
    return { identifier, code: error.code, message: error.message, ...wordsOf(error), ...place };
  return { identifier, code: 'svc_internal_error', message: 'Something went wrong on our side.', ...place };
}

/** What a site gave as its reason, where it gave one. */
function wordsOf({ data: { reason, child_message } }: DomainError): Pick<ItemError, 'reason' | 'child_message'> {
  return {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof child_message === 'string' && { child_message }),
  };
}
