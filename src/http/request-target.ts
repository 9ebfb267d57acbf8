import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { CodedInvalidError } from '../shared/errors.ts';

const SLASH = '/'.charCodeAt(0);

/**
 * Reduces an absolute target, as in `GET http://api.example/api/v2/sites HTTP/1.1`, to its path. Clients of a proxy
 * send it, and a server must accept it. Its host counts instead of the header `Host` (RFC 9112, section 3.2.2).
 */
export function useOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH) return;
  const [, host, rest = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Refuses a request of HTTP/1.1 without `Host`, and any request with several (RFC 9112, section 3.2). */
export const requireHost: RequestHandler = ({ rawHeaders, httpVersionMinor }, _response, next) => {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return next();
  return next(new CodedInvalidError('svc_malformed_request', 'The request must have one header Host.'));
};
