import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';

export interface PackageDownload {
  size: number;
  /** Null for HEAD. An error ends the connection before the last byte, so that a site installs nothing. */
  content: Readable | null;
}

/** Returns null if the token of a download is unknown, has expired or was used too often. */
export type OpenPackage = (token: string, options: { isCounted: boolean }) => Promise<PackageDownload | null>;

const PREFIX = '/packages';

/** Serves packages to sites. A site has the secret address of a package and no credential. */
export function packageDownloadsRouter(open: OpenPackage): Router {
  const router = Router({ caseSensitive: true });
  router.get(`${PREFIX}/:token`, async (request, response) => {
    const download = await open(request.params.token, { isCounted: request.method === 'GET' });
    // The address is a secret, so caches must not store the zip.
    response.set({ 'Cache-Control': 'private, no-store', 'X-Robots-Tag': 'noindex, nofollow, noarchive' });
    if (download === null) {
      response.status(404).type('text/plain').send('The address is not valid.\n');
      return;
    }
    response.status(200).type('application/zip').set('Content-Length', String(download.size));
    if (download.content === null) response.end();
    else await pipeline(download.content, response).catch(() => response.destroy());
  });
  return router;
}

export const pathWithoutPackageToken = (path: string): string =>
  /^\/+packages(\/|$)/i.test(path) ? `${PREFIX}/[redacted]` : path;
