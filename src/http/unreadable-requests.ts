import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import {
  type DomainError,
  HeadersTooLargeError,
  CodedInvalidError,
  RequestTimeoutError,
  TooLargeError,
} from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import { closingError } from './refuse-early.ts';

/** `code` is that of an error of Node's HTTP parser. */
export function parserCodeToError(code: string | undefined): DomainError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HeadersTooLargeError('svc_headers_too_large', 'The header of the request is larger than 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new TooLargeError('svc_request_too_large', 'The chunk extensions of the body are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestTimeoutError('svc_request_timeout', 'The request was not complete in time.');
    case 'HPE_INVALID_EOF_STATE':
      return new CodedInvalidError('svc_malformed_request', 'The request is incomplete.');
    default:
      return new CodedInvalidError('svc_malformed_request', 'The request is not valid HTTP.');
  }
}

/** Refuses a request that has no response object. `reason` is for the log. */
export function refuseOnSocket(socket: Socket, error: DomainError, reason: string, logger: Logger): void {
  if (!socket.writable) return void socket.destroy();
  const requestId = randomUUID();
  const { headers, body } = closingError(error, requestId);
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  logger.info({ status: error.status, reason, request_id: requestId }, 'unreadable request');
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
