import { ERROR_KINDS, INVALID_INPUT, type CodeOf, type ErrorCode, type ErrorKind } from './error-codes.ts';

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

export function errorClassFor<K extends ErrorKind>(kind: K) {
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

/** The site responded, but the item was not updated. */
export class UpdateFailedError extends errorClassFor('updateFailed') {}
