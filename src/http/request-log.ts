import type { RequestHandler } from 'express';
import type { Logger } from '../shared/logger.ts';
import { pathWithoutToken } from './shared-reports.ts';
import { pathWithoutPackageToken } from './package-downloads.ts';
import type { HttpMetrics } from './metrics.ts';

const CALLER_GONE = 499;

/** Logs requests without the query, which can contain private data of the caller. */
export function requestLog(logger: Logger, metrics: HttpMetrics): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    // Later middleware can rewrite method and path, so they are read now.
    const { method, path } = request;
    // The event `close` occurs for every response, whether it was sent or the caller has disconnected.
    response.on('close', () => {
      // For Node, the error that follows a cut off upload is sent too.
      const isSent = response.writableFinished && !request.errored;
      const status = isSent ? response.statusCode : CALLER_GONE;
      const ms = performance.now() - began;
      const { operationId = 'none', requestId, caller } = response.locals;
      metrics.observe(operationId, method, status, ms / 1000);
      logger.info(
        {
          method,
          path: pathWithoutPackageToken(pathWithoutToken(path)),
          status,
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
