import type { RequestHandler } from 'express';
import { NotFoundError } from '../shared/errors.ts';
import { allowHeader } from './allowed-methods.ts';
import { basePathOf, memoize, parameterCount, pathPatternOf, verbsOf, type Contract } from '../contract/index.ts';

const EXPOSED = [
  ...['X-Request-Id', 'ETag', 'Idempotency-Replayed', 'Link', 'X-WP-Total', 'X-WP-TotalPages'],
  ...['Allow', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'WWW-Authenticate', 'Deprecation', 'Sunset'],
].join(', ');
const ACCEPTED = [
  ...['Authorization', 'Content-Type', 'X-Request-Id'],
  ...['Idempotency-Key', 'If-Match', 'If-None-Match'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
].join(', ');

export function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size > 0) response.vary('Origin');
    const origin = request.get('origin');
    if (origin !== undefined && allowed.has(origin)) {
      response.set('Access-Control-Allow-Origin', origin);
      response.set('Access-Control-Expose-Headers', EXPOSED);
      if (request.method === 'OPTIONS') {
        response.set('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
        response.set('Access-Control-Allow-Headers', ACCEPTED);
        response.set('Access-Control-Max-Age', '600');
      }
    }
    next();
  };
}

const corsRoutesOf = memoize((contract: Contract) =>
  Object.entries(contract.paths).map(([path, item]) => ({
    pattern: pathPatternOf((basePathOf(contract) + path).replace(/\/$/, '')),
    parameters: parameterCount(path),
    allow: allowHeader(verbsOf(item)),
  })),
);

/** Answers OPTIONS requests. Must run before authentication, because a browser's preflight sends no credential. */
export function optionsHandler(contracts: readonly Contract[]): RequestHandler {
  const routes = contracts.flatMap(corsRoutesOf);
  routes.sort((left, right) => left.parameters - right.parameters);
  return (request, response, next) => {
    if (request.method !== 'OPTIONS') return next();
    const route = routes.find(({ pattern }) => pattern.test(request.path));
    if (!route) return next(new NotFoundError('rest_no_route', 'There is no such route.'));
    return void response.set('Allow', route.allow).status(204).end();
  };
}
