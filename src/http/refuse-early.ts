import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DomainError } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { errorBody, retryHeaders } from './errors.ts';
import { requestIdOf } from './request-middleware.ts';

/**
 * Sends an error instead of the application, also if the application already works on the request. Nothing of the
 * response may have been sent.
 */
export function refuseEarly(response: ServerResponse, error: DomainError, logger: Logger): void {
  const requestId = requestIdOfResponse(response);
  const { headers, body } = closingError(error, requestId);
  response.writeHead(error.status, headers);
  response.end(body);
  logger.info({ status: error.status, code: error.code, request_id: requestId }, 'refused request');
}

/** Returns the headers and the body of an error after which the connection is closed. */
export function closingError(
  error: DomainError,
  requestId: string,
): { headers: Record<string, string | number>; body: string } {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    ...retryHeaders(error),
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  return { headers, body };
}

function requestIdOfResponse(response: ServerResponse): string {
  const { locals, req } = response as ServerResponse & { locals?: { requestId?: string }; req: IncomingMessage };
  return locals?.requestId ?? requestIdOf(req);
}
