import { Router } from 'express';

/** Returns the bytes for the token of a download, or null if it is unknown, has expired or was used too often. */
export type OpenPackage = (token: string, options: { isCounted: boolean }) => Promise<Buffer | null>;

const PREFIX = '/packages';

/** Serves packages to sites. A site has the secret address of a package and no credential. */
export function packageDownloadsRouter(open: OpenPackage): Router {
  const router = Router({ caseSensitive: true });
  router.get(`${PREFIX}/:token`, async (request, response) => {
    const bytes = await open(request.params.token, { isCounted: request.method === 'GET' });
    // The address is a secret, so caches must not store the zip.
    response.set({ 'Cache-Control': 'private, no-store', 'X-Robots-Tag': 'noindex, nofollow, noarchive' });
    if (bytes === null) response.status(404).type('text/plain').send('The address is not valid.\n');
    else response.status(200).type('application/zip').send(bytes);
  });
  return router;
}

export const pathWithoutPackageToken = (path: string): string =>
  /^\/+packages(\/|$)/i.test(path) ? `${PREFIX}/[redacted]` : path;
