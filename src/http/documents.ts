import express, { Router, type Response } from 'express';
import { allowOnlyReads } from './read-only-routes.ts';

export interface Documents {
  site: string;
  has(surface: string): boolean;
  json(surface: string): string | null;
  yaml(surface: string): Promise<string | null>;
  workflow(name: string): Promise<string | null>;
}

// Content-Security-Policy of the pages under `/docs`: they load their assets from this service, and their forms call
// only this service.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ONE_YEAR = 365 * 86_400;
/** Lists of pages for language models, which look for them at the root as well as under `/docs`. */
const LISTS = ['/llms.txt', '/llms-full.txt'];

/** Serves `/docs` and `/openapi` without authentication. */
export function documentsRouter(documents: Documents): Router {
  const router = Router({ strict: true });

  router.use(['/docs', '/openapi'], allowOnlyReads);
  router.all(LISTS, allowOnlyReads);

  // The links in the pages are relative, so the URL must end with a slash.
  router.get('/docs', (_request, response) => response.redirect(308, 'docs/'));
  router.get('/docs/:surface', (request, response, next) => {
    if (!documents.has(request.params.surface)) return next();
    response.redirect(308, `reference/${request.params.surface}/`);
  });
  const files = express.static(documents.site, { extensions: ['html'], setHeaders: setDocumentHeaders });
  router.use('/docs', files);
  router.get(LISTS, files);
  router.get('/openapi/:file', async (request, response, next) => {
    const [, surface = '', form] = /^([a-z0-9]+)\.(json|yaml)$/.exec(request.params.file) ?? [];
    const text = form === 'json' ? documents.json(surface) : form === 'yaml' ? await documents.yaml(surface) : null;
    if (text === null) return next();
    response.set('Cache-Control', 'public, max-age=300');
    response.type(form === 'json' ? 'application/json' : 'application/yaml').send(text);
  });
  router.get('/openapi/workflows/:file', async (request, response, next) => {
    const [, name = ''] = /^([a-z0-9-]+)\.arazzo\.yaml$/.exec(request.params.file) ?? [];
    const text = name === '' ? null : await documents.workflow(name);
    if (text === null) return next();
    response.set('Cache-Control', 'public, max-age=300');
    response.type('application/yaml').send(text);
  });

  return router;
}

/**
 * Sets the headers of a file of the docs. Asset names contain a hash of the content, so assets never change. Browsers
 * revalidate pages on each visit.
 */
function setDocumentHeaders(response: Response, file: string): void {
  response.set('Content-Security-Policy', PAGE_POLICY);
  // Sends an example as plain text, so that browsers show its source. By its ending, a `.ts` file would be a video.
  if (/[\\/]docs[\\/]examples[\\/]/.test(file)) response.type('text/plain');
  const isAsset = /[\\/]assets[\\/][^\\/]+$/.test(file);
  response.set('Cache-Control', isAsset ? `public, max-age=${ONE_YEAR}, immutable` : 'no-cache');
}
