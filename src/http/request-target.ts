import type { IncomingMessage } from 'node:http';

const SLASH = '/'.charCodeAt(0);

/**
 * Reduces an absolute target, as in `GET http://api.example/api/v2/sites HTTP/1.1`, to its path. Clients of a proxy
 * send it, and a server must accept it. Its host counts instead of the header `Host` (RFC 9112, section 3.2.2).
 */
export function useOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH) return;
  const [, host, rest = ''] = /^https?:\/\/([^/?]*)(.*)$/i.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
