import type { RequestHandler } from 'express';
import {
  handlerIdOf,
  isOperationId,
  basePathOf,
  createSliceFinder,
  pathPatternOf,
  verbsOf,
  type Deprecation,
  type PathItem,
} from '../contract/index.ts';
import type { Surface } from './pipeline.ts';

type DeprecationHeaders = Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>>;
type DeprecationHeadersOfPath = (path: string) => Readonly<Record<string, DeprecationHeaders>> | undefined;

/**
 * Adds the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` to every response of a deprecated
 * operation, error responses included. Runs before authentication, so callers with a wrong credential see the headers
 * too.
 */
export function deprecationMiddleware(surfaces: readonly Surface[]): RequestHandler[] {
  const all = surfaces.map(deprecationNoticesOf).filter((each) => each !== null);
  if (all.length === 0) return [];
  return [
    (request, response, next) => {
      const verb = request.method === 'HEAD' ? 'GET' : request.method;
      const notice = all.map((find) => find(request.path)?.[verb]).find(Boolean);
      if (notice) response.set(notice);
      next();
    },
  ];
}

function deprecationNoticesOf({ contract, dialect }: Surface): DeprecationHeadersOfPath | null {
  const items = Object.entries(contract.paths);
  const notices = items.map(([, item]) => deprecationHeadersByMethod(dialect.ability ? 'abilities' : 'v2', item));
  if (notices.every((each) => Object.keys(each).length === 0)) return null;
  // Makes one contract per path, because several paths can match one URL. `createSliceFinder` finds the path that
  // serves it.
  const find = createSliceFinder(
    contract,
    items.map(([path, item]) => ({ ...contract, paths: { [path]: item } })),
  );
  const base = basePathOf(contract);
  const deprecated = items
    .filter((_, index) => Object.keys(notices[index] ?? {}).length > 0)
    .map(([path]) => pathPatternOf(base + path));
  return (path) => {
    if (!path.startsWith(base) || !deprecated.some((pattern) => pattern.test(path))) return undefined;
    const index = find(path);
    return index === null ? undefined : notices[index];
  };
}

function deprecationHeadersByMethod(surface: string, item: PathItem): Record<string, DeprecationHeaders> {
  return Object.fromEntries(
    verbsOf(item).flatMap((verb) => {
      const { operationId = '', 'x-deprecation': deprecation } = item[verb] ?? {};
      return deprecation ? [[verb.toUpperCase(), deprecationHeadersOf(surface, operationId, deprecation)]] : [];
    }),
  );
}

function deprecationHeadersOf(
  surface: string,
  operationId: string,
  { since, sunset, replacement }: Deprecation,
): DeprecationHeaders {
  const page = (id: string): string => `/docs/reference/${surface}/${handlerIdOf(id)}`;
  const links = [`<${page(operationId)}>; rel="deprecation"; type="text/html"`];
  if (isOperationId(replacement)) links.push(`<${page(replacement)}>; rel="successor-version"; type="text/html"`);
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: links.join(', '),
  };
}
