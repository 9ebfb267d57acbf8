import type { ErrorRequestHandler } from 'express';
import { INVALID_INPUT } from '../shared/error-codes.ts';
import {
  CodedInvalidError,
  DomainError,
  InternalError,
  InvalidError,
  joinFieldErrors,
  MethodNotAllowedError,
  NotFoundError,
  UnsupportedMediaTypeError,
} from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { allowHeader } from './allowed-methods.ts';
import { readValidatorErrors } from './validator-errors.ts';

export interface ErrorDialect {
  ability: boolean;
  invalidInput: 'ability_invalid_input' | 'rest_invalid_param';
  invalidMethod: 'rest_ability_invalid_method' | 'rest_invalid_method';
}

export function throwFieldError({ invalidInput }: ErrorDialect, path: string, message: string): never {
  throw new CodedInvalidError(invalidInput, `${path} ${message}`, { errors: [{ path, message }] });
}

/** Maps domain fields to contract fields. Only for fields whose names are not the same in camelCase and snake_case. */
export type FieldNames = Readonly<Record<string, string>>;

export interface FieldNaming {
  place: 'input' | 'body' | 'query';
  names: FieldNames;
}

/**
 * Converts an `InvalidError` of the domain to the code, the place and the field names of the operation. Returns every
 * other error unchanged.
 */
export function renameErrorFields(dialect: ErrorDialect, { place, names }: FieldNaming, error: unknown): unknown {
  if (!(error instanceof InvalidError)) return error;
  const errors = (error.data.errors ?? []).map(({ path, message }) => {
    const [first = '', ...inner] = path.split('.');
    return { path: [place, names[first] ?? snakeCase(first), ...inner].join('.'), message };
  });
  const code = error.code === INVALID_INPUT ? dialect.invalidInput : error.code;
  const message = error.summary ?? `${joinFieldErrors(errors)}.`;
  return new CodedInvalidError(code, message, { ...error.data, errors }, { cause: error });
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

interface HttpFault {
  status?: number;
  message?: string;
  /** An error with status 405 has the methods that the contract defines for the route. */
  headers?: { Allow?: string };
}

/** Converts a thrown value. Unknown errors become `svc_internal_error`, which hides their text from the caller. */
export function toDomainError(error: unknown, dialect: ErrorDialect): DomainError {
  if (error instanceof DomainError) return error;
  const { status } = error as HttpFault;
  if (status === 400) {
    const { errors, more } = readValidatorErrors(error as HttpFault, dialect.ability);
    const data = { errors, ...(more > 0 && { more_errors: more }) };
    return new CodedInvalidError(dialect.invalidInput, joinFieldErrors(errors, more), data);
  }
  if (status === 404) return new NotFoundError('rest_no_route', 'There is no such route.');
  if (status === 405)
    return new MethodNotAllowedError(dialect.invalidMethod, 'This route does not support the method.');
  if (status === 415)
    return new UnsupportedMediaTypeError('rest_unsupported_media_type', 'The media type of the body is not supported.');
  return new InternalError('svc_internal_error', 'Something went wrong on our side.', {}, { cause: error });
}

export const errorBody = (error: DomainError): object => ({
  code: error.code,
  message: error.message,
  data: { status: error.status, ...error.data },
});

export function retryHeaders({ data }: DomainError): Record<string, string> {
  const { retry_after_seconds: seconds } = data;
  return typeof seconds === 'number' && seconds > 0 ? { 'Retry-After': String(Math.ceil(seconds)) } : {};
}

export function renderErrors(dialect: ErrorDialect, logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    // A response that has ended is that of `refuseEarly`.
    if (response.writableEnded) return;
    if (response.headersSent) {
      next(error);
      return;
    }
    const verbs = (error as HttpFault | null)?.headers?.Allow;
    if (verbs !== undefined) response.set('Allow', allowHeader(verbs.split(', ')));
    const refusal = toDomainError(error, dialect);
    if (refusal.kind === 'internal' || refusal.kind === 'databaseUnavailable')
      logger.error(
        {
          err: refusal.cause ?? refusal,
          request_id: response.locals.requestId,
          operation: response.locals.operationId,
          method: request.method,
        },
        'request failed',
      );
    response.set(retryHeaders(refusal)).status(refusal.status).json(errorBody(refusal));
  };
}
