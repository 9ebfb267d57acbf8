import type { RequestHandler } from 'express';
import {
  handlerIdOf,
  isOperationId,
  sliceFinder,
  verbsOf,
  type Deprecation,
  type PathItem,
} from '../contract/index.ts';
import type { Surface } from './pipeline.ts';

type Notice = Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>>;
/** By address, then by verb. */
type Notices = (path: string) => Readonly<Record<string, Notice>> | undefined;

/**
 * Announces on every answer of a deprecated operation, refusals included, since when it is deprecated (RFC 9745), when
 * it may go (RFC 8594), and where to read what to use instead. It stands before authentication: who is refused for a
 * wrong credential should learn of it too.
 */
export function deprecations(surfaces: readonly Surface[]): RequestHandler[] {
  const all = surfaces.map(noticesOf).filter((each) => each !== null);
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

/** Null for a contract that deprecates nothing, whose requests are not looked at. */
function noticesOf({ contract, dialect }: Surface): Notices | null {
  const items = Object.entries(contract.paths);
  const notices = items.map(([, item]) => noticesIn(dialect.ability ? 'abilities' : 'v2', item));
  if (notices.every((each) => Object.keys(each).length === 0)) return null;
  // A path of its own each, so that an address is told apart from others that fit as well.
  const find = sliceFinder(
    contract,
    items.map(([path, item]) => ({ ...contract, paths: { [path]: item } })),
  );
  return (path) => {
    const index = find(path);
    return index === null ? undefined : notices[index];
  };
}

function noticesIn(surface: string, item: PathItem): Record<string, Notice> {
  return Object.fromEntries(
    verbsOf(item).flatMap((verb) => {
      const { operationId = '', 'x-deprecation': deprecation } = item[verb] ?? {};
      return deprecation ? [[verb.toUpperCase(), noticeOf(surface, operationId, deprecation)]] : [];
    }),
  );
}

function noticeOf(surface: string, operationId: string, { since, sunset, replacement }: Deprecation): Notice {
  const page = (id: string): string => `/docs/reference/${surface}/${handlerIdOf(id)}`;
  const links = [`<${page(operationId)}>; rel="deprecation"; type="text/html"`];
  if (isOperationId(replacement)) links.push(`<${page(replacement)}>; rel="successor-version"; type="text/html"`);
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: links.join(', '),
  };
}
