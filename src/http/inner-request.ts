import type { Request, Response } from 'express';
import type { InnerCall } from './operation-types.ts';
import { parseQuery } from './query-parser.ts';

/**
 * Creates the request of a batch item or an MCP tool call. It shares caller, connection and request ID with the outer
 * request and runs through the same pipeline as a separate request.
 */
export function innerRequest(outer: Request, base: string, { method, path, body, headers: sent }: InnerCall): Request {
  const url = base + path;
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...sent };
  const search = url.indexOf('?');
  const query = search < 0 ? {} : parseQuery(url.slice(search + 1));
  const own = { method, url, originalUrl: url, baseUrl: '', headers, body: body ?? {}, query, openapi: undefined };
  return Object.create(
    outer,
    Object.fromEntries(
      Object.entries(own).map(([name, value]) => [
        name,
        { value, writable: true, configurable: true, enumerable: true },
      ]),
    ),
  ) as Request;
}

/** Returns a stub for middleware that expects a response. The real response is the return value of the pipeline. */
export function innerResponse(
  outer: Response,
  { wait, operationId: expectedOperation, endsWithCaller = false, isUncounted }: InnerCall,
): Response {
  const { caller, requestId } = outer.locals;
  const locals = { caller: caller && wait ? { ...caller, wait } : caller, requestId, expectedOperation, isUncounted };
  const connection = endsWithCaller ? { once: outer.once.bind(outer) } : {};
  return {
    ...{ locals, json: () => undefined, set: () => undefined, ...connection },
    get destroyed() {
      return endsWithCaller && outer.destroyed;
    },
  } as unknown as Response;
}
