import type { RequestHandler } from 'express';
import type { Logger } from '../shared/logger.ts';
import type { HttpMetrics } from './metrics.ts';

/** Logs requests without the query, which can contain private data of the caller. */
export function requestLog(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    // Later middleware can rewrite method and path, so they are read now.
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
