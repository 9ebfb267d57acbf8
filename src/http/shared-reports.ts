import { Router, type Response } from 'express';
import type { Clock } from '../shared/clock.ts';
import { NetworkLimit } from './network-limit.ts';

export interface SharedReports {
  open: (token: string, options: { isCounted: boolean }) => Promise<string | null>;
  /** Content-Security-Policy of a report. */
  policy: string;
}

const PREFIX = '/share/reports';
const ROBOTS = 'noindex, nofollow, noarchive';

/**
 * Requests per minute from a network with unknown tokens. A valid link is never refused: behind a proxy that is not
 * trusted, all clients have one address.
 */
const LIMIT = 300;

const pageOf = (title: string, text: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="${ROBOTS}">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;

const NOT_FOUND = pageOf(
  'The link does not work',
  'It has expired, was withdrawn, or is incomplete. Please ask the sender of the report for a new one.',
);
const TOO_MANY = pageOf('Too many requests', 'Please open the link again in a minute.');

/** Serves reports to the clients of the operator, who have a link and no login. */
export function sharedReportsRouter({ open, policy }: SharedReports, clock: Clock): Router {
  const router = Router({ caseSensitive: true });
  const limit = new NetworkLimit(LIMIT, clock);
  router.get(`${PREFIX}/:token`, async (request, response) => {
    const html = await open(request.params.token, { isCounted: request.method === 'GET' });
    setHeaders(response, policy);
    if (html !== null) return response.send(withRobots(html));
    const wait = limit.record(request.ip ?? '');
    if (wait === null) return response.status(404).send(NOT_FOUND);
    return response.set('Retry-After', String(wait)).status(429).send(TOO_MANY);
  });
  return router;
}

function setHeaders(response: Response, policy: string): void {
  response.set('Content-Security-Policy', policy);
  response.set('X-Robots-Tag', ROBOTS);
  // The address is a secret, so caches must not store the page, and other servers must not learn the address.
  response.set('Cache-Control', 'private, no-store');
  response.set('Referrer-Policy', 'no-referrer');
  response.type('html');
}

const withRobots = (html: string): string =>
  html.replace(/<head>/i, (head) => `${head}<meta name="robots" content="${ROBOTS}">`);

export const pathWithoutToken = (path: string): string =>
  /^\/+share(\/|$)/i.test(path) ? `${PREFIX}/[redacted]` : path;
