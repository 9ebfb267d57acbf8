import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet's headers for an API. They are the same on every answer, so Helmet is asked once, and its answer is set at a
 * stroke: a dozen small middlewares would cost a tenth of what a request costs.
 */
export function securityHeaders(): RequestHandler {
  const headers = new Map<string, string>();
  const collector = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }, useDefaults: false },
    // For pages of browsers long gone, and of no meaning to an answer that is data.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false,
  })({} as never, collector as never, () => undefined);
  const fixed = [...headers];
  return (_request, response, next) => {
    for (const [name, value] of fixed) response.setHeader(name, value);
    next();
  };
}
