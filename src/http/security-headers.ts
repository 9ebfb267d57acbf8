import helmet from 'helmet';

/**
 * Returns the headers of Helmet. They are the same on every response, so they are computed once. Running Helmet's dozen
 * middlewares would take a tenth of the time of a request.
 */
export function securityHeaders(): [name: string, value: string][] {
  const headers = new Map<string, string>();
  const collector = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] }, useDefaults: false },
    // These headers address outdated browsers and mean nothing for data.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false,
  })({} as never, collector as never, () => undefined);
  return [...headers];
}
