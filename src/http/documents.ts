import { Router, type Response } from 'express';

/** What readers of the API are given; made when it is first asked for. */
export interface Documents {
  /** Rendered reference of a surface, whole in one page. */
  reference(surface: string): Promise<Buffer | null>;
  json(surface: string): string | null;
  yaml(surface: string): Promise<string | null>;
  /** A journey through both surfaces, as Arazzo. */
  workflow(name: string): Promise<string | null>;
  index(): string;
}

// The pages bring their scripts and styles in themselves and fetch nothing.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  'worker-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/docs` and `/openapi`: public, and whole without a network. */
export function documentsRouter(documents: Documents): Router {
  const router = Router();

  router.get('/docs', (_request, response) => sendPage(response, documents.index()));
  router.get('/docs/:surface', async (request, response, next) => {
    const page = await documents.reference(request.params.surface);
    if (page) sendPage(response, page);
    else next();
  });
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

function sendPage(response: Response, page: string | Buffer): void {
  response.set('Content-Security-Policy', PAGE_POLICY);
  response.type('html').send(page);
}
