import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { DEPTH_LIMIT, exceededJsonLimit, VALUE_LIMIT } from './json-limits.ts';
import { CodedInvalidError, TooLargeError, UnsupportedMediaTypeError } from '../shared/errors.ts';

export const BODY_LIMIT = 8 * 1024 * 1024;
const WELL_FORMED_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Uses the `X-Request-Id` that the caller sent, if it is well-formed, so the logs of both sides can be matched. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const ownId = headers['x-request-id'];
  return typeof ownId === 'string' && WELL_FORMED_ID.test(ownId) ? ownId : randomUUID();
}

export const requestId: RequestHandler = (request, response, next) => {
  response.locals.requestId = requestIdOf(request);
  next();
};

export const carriesBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Prepares a request for the validator. HEAD is handled as GET, because Node omits the body by itself. The content type
 * is reduced to the supported one: the validator compiles and caches a schema per content type, so arbitrary types
 * would fill the memory.
 */
export const normalizeRequest: RequestHandler = (request, _response, next) => {
  // `multipartBody` has parsed the form, so the request is already in its final form.
  if (request.body !== undefined) {
    next();
    return;
  }
  if (request.method === 'HEAD') request.method = 'GET';
  const { headers } = request;
  const hasBody = carriesBody(request);
  if (request.method === 'GET' || request.method === 'DELETE' || request.method === 'OPTIONS') {
    delete headers['content-type'];
  } else if (!hasBody) {
    // Without a body the validator would respond with 415 instead of naming the missing field.
    headers['content-type'] = 'application/json';
    request.body = {};
  } else {
    const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
      next(
        new UnsupportedMediaTypeError(
          'rest_unsupported_media_type',
          'The body must be of the media type application/json.',
        ),
      );
      return;
    }
    headers['content-type'] = 'application/json';
  }
  next();
};

const tooLarge = (): TooLargeError => new TooLargeError('svc_request_too_large', 'The body is larger than 8 MiB.');

/** Only checks `Content-Length`, without reading the body. `multipartBody` has its own limits. */
export const bodyLimit: RequestHandler = ({ headers, body }, _response, next) =>
  next(body === undefined && Number(headers['content-length']) > BODY_LIMIT ? tooLarge() : undefined);

const OVERSIZE = {
  values: `The body contains more than ${VALUE_LIMIT} values.`,
  depth: `The body is nested more than ${DEPTH_LIMIT} levels deep.`,
};

const parse = express.json({
  limit: BODY_LIMIT,
  strict: false,
  verify: (_request, _response, text) => {
    const oversize = exceededJsonLimit(text);
    if (oversize) throw Object.assign(new Error(OVERSIZE[oversize]), { type: 'oversize' });
    // The decoder would replace invalid bytes, so the stored text would differ from the text that was sent.
    if (!isUtf8(text)) throw new Error('The body is not valid UTF-8.');
  },
});

export const jsonBody: RequestHandler = (request, response, next) => {
  if (request.headers['content-type'] === undefined || request.body !== undefined) {
    next();
    return;
  }
  parse(request, response, (error?: unknown) => {
    if (!error) next();
    else if ((error as { type?: string }).type === 'entity.too.large') next(tooLarge());
    else if ((error as { type?: string }).type === 'oversize')
      next(new TooLargeError('svc_request_too_large', (error as Error).message));
    else if ((error as { type?: string }).type === 'encoding.unsupported')
      next(
        new UnsupportedMediaTypeError(
          'rest_unsupported_media_type',
          'The content encoding of the body is not supported.',
        ),
      );
    else next(new CodedInvalidError('rest_invalid_json', 'The body is not valid JSON in UTF-8.'));
  });
};
