import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** Runs several handlers as one, because each Express layer costs time on every request. */
export function composeMiddleware(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request, response, next) => runFrom(0, handlers, request, response, next);
}

function runFrom(
  at: number,
  handlers: readonly RequestHandler[],
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const handler = handlers[at];
  if (!handler) return next();
  return void handler(request, response, (error?: unknown) =>
    error ? next(error) : runFrom(at + 1, handlers, request, response, next),
  );
}

/**
 * Runs a handler only for URLs under these bases. Unlike `app.use(base, …)`, it does not cut the base off
 * `request.url`.
 */
export function limitToBasePaths(bases: readonly string[], handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { url } = request;
    if (!bases.some((base) => url.startsWith(base) && '/?'.includes(url.charAt(base.length)))) return next();
    return handler(request, response, next);
  };
}
