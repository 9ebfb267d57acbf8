import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from './container.ts';
import type { HttpServer } from '../http/server.ts';

export const DRAIN_GRACE_MS = 25_000;
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops the service gracefully on a signal. Must be called before the server listens, so that no accepted request is
 * lost.
 */
export function drainOnSignals(container: Container, http: HttpServer): void {
  let stopping = false;
  for (const signal of STOP_SIGNALS)
    process.on(signal, () => {
      // After a second signal the operator does not want to wait for the drain.
      if (stopping) process.exit(1);
      stopping = true;
      container.logger.info({ signal }, 'draining');
      void stop(container, http).then(
        () => process.exit(0),
        (error: unknown) => {
          container.logger.fatal({ err: error }, 'graceful shutdown failed');
          process.exit(1);
        },
      );
    });
}

/** Requests can wait for jobs, so the HTTP server and the jobs drain at the same time. */
async function stop(container: Container, http: HttpServer): Promise<void> {
  const ended = Promise.all([http.drain(), container.drain(DRAIN_GRACE_MS)]);
  await Promise.race([ended, sleep(DRAIN_GRACE_MS)]);
  http.server.closeAllConnections();
  await container.close();
  container.logger.info('stopped');
}
