import type { ErrorRequestHandler } from 'express';
import {
  CodedInvalidError,
  DomainError,
  INVALID_INPUT,
  InternalError,
  InvalidError,
  joinFieldErrors,
  MethodNotAllowedError,
  NotFoundError,
  UnsupportedMediaTypeError,
} from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { fieldErrors } from './field-errors.ts';

/** The codes by which one surface calls what the machinery itself refuses. */
export interface ErrorDialect {
  ability: boolean;
  invalidInput: 'ability_invalid_input' | 'rest_invalid_param';
  invalidMethod: 'rest_ability_invalid_method' | 'rest_invalid_method';
}

/** Refuses a request for one of its fields, in the words of the surface. */
export function throwFieldError({ invalidInput }: ErrorDialect, path: string, message: string): never {
  throw new CodedInvalidError(invalidInput, `${path} ${message}`, { errors: [{ path, message }] });
}

/** What the contract calls a field of the domain where more than the spelling differs. */
export type FieldNames = Readonly<Record<string, string>>;

/** Where an operation takes the fields that a domain judges, and what it calls them. */
export interface FieldNaming {
  place: 'input' | 'body' | 'query';
  names: FieldNames;
}

/** What a handler threw; input that breaks a rule in the words of the surface and of the operation. */
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
  headers?: Record<string, string>;
}

/** Whatever was thrown, as one of ours. What is unknown becomes a fault on our side, whose text is never answered. */
export function toDomainError(error: unknown, dialect: ErrorDialect): DomainError {
  if (error instanceof DomainError) return error;
  const { status } = error as HttpFault;
  if (status === 400) {
    const { errors, more } = fieldErrors(error as HttpFault, dialect.ability);
    const data = { errors, ...(more > 0 && { more_errors: more }) };
    return new CodedInvalidError(dialect.invalidInput, joinFieldErrors(errors, more), data);
  }
  if (status === 404) return new NotFoundError('rest_no_route', 'No such route.');
  if (status === 405) return new MethodNotAllowedError(dialect.invalidMethod, 'This method is not served here.');
  if (status === 415)
    return new UnsupportedMediaTypeError(
      'rest_unsupported_media_type',
      'The body is not of the media type that is taken here.',
    );
  return new InternalError('svc_internal_error', 'Something went wrong on our side.', {}, { cause: error });
}

/** `{code, message, data: {status, …}}`. */
export const errorBody = (error: DomainError): object => ({
  code: error.code,
  message: error.message,
  data: { status: error.status, ...error.data },
});

/** `Retry-After` is what `data.retry_after_seconds` says; everybody who knows a time puts it there. */
export function retryHeaders({ data }: DomainError): Record<string, string> {
  const { retry_after_seconds: seconds } = data;
  return typeof seconds === 'number' && seconds > 0 ? { 'Retry-After': String(Math.ceil(seconds)) } : {};
}

/** The one place where a refusal becomes an answer. */
export function renderErrors(dialect: ErrorDialect, logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const headers = (error as HttpFault | null)?.headers;
    if (headers) response.set(headers);
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
