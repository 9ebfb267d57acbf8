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
  const body = JSON.stringify(errorBody(error));
  response.writeHead(error.status, {
    ...retryHeaders(error),
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  });
  response.end(body);
  logger.info({ status: error.status, code: error.code, request_id: requestId }, 'refused request');
}

function requestIdOfResponse(response: ServerResponse): string {
  const { locals, req } = response as ServerResponse & { locals?: { requestId?: string }; req: IncomingMessage };
  return locals?.requestId ?? requestIdOf(req);
}
