import type { RequestHandler } from 'express';
import type { Logger } from '../shared/logger.ts';
import type { HttpMetrics } from './metrics.ts';

/** One line and one observation a request. The query is left out: what a caller typed there is the caller's. */
export function requestLog(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    // The method and path as they came in; what follows may rewrite both.
    const { method, path } = request;
    response.on('finish', () => {
      const ms = performance.now() - began;
      const { operationId = 'none', requestId, caller } = response.locals;
      metrics.observe(operationId, method, response.statusCode, ms / 1000);
      logger.info(
        {
          method,
          path,
          status: response.statusCode,
          ms: Math.round(ms * 10) / 10,
          operation: operationId,
          user: caller?.name,
          request_id: requestId,
        },
        'request',
      );
    });
    next();
  };
}
