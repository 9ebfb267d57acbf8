import type { Request, Response } from 'express';
import type { InnerCall } from './operation.ts';

/**
 * A request that stands for one item of another: the same caller, connection and id, its own method, address and body.
 * It goes through the same pipeline, so that an item is checked and answered as if it had come alone.
 */
export function innerRequest(outer: Request, base: string, { method, path, body }: InnerCall): Request {
  const url = base + path;
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const own = { method, url, originalUrl: url, baseUrl: '', headers, body: body ?? {}, query: {}, openapi: undefined };
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

/** Its response exists for the middleware that wants one; the answer is what the pipeline returns. */
export function innerResponse(outer: Response): Response {
  const { caller, requestId } = outer.locals;
  return { locals: { caller, requestId }, json: () => undefined, set: () => undefined } as unknown as Response;
}
