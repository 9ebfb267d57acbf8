import { Router, type Response } from 'express';

export interface SharedReports {
  open: (token: string, options: { isCounted: boolean }) => Promise<string | null>;
  /** Content-Security-Policy of a report. */
  policy: string;
}

const PREFIX = '/share/reports';
const ROBOTS = 'noindex, nofollow, noarchive';

const NOT_FOUND = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="${ROBOTS}">
<title>The link does not work</title>
</head>
<body>
<main>
<h1>The link does not work</h1>
<p>It has expired, was withdrawn, or is incomplete. Please ask the sender of the report for a new one.</p>
</main>
</body>
</html>
`;

/** Serves reports to the clients of the operator, who have a link and no login. */
export function sharedReportsRouter({ open, policy }: SharedReports): Router {
  const router = Router({ caseSensitive: true });
  router.get(`${PREFIX}/:token`, async (request, response) => {
    const html = await open(request.params.token, { isCounted: request.method === 'GET' });
    setHeaders(response, policy);
    response.status(html === null ? 404 : 200).send(html === null ? NOT_FOUND : withRobots(html));
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
