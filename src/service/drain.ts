import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from './container.ts';
import type { HttpServer } from '../http/server.ts';

/** Time that work under way is given when the process is asked to end. */
export const DRAIN_GRACE_MS = 25_000;

/** Ends the process in order when it is asked to, from before the first call can come. */
export function drainOnSignals(container: Container, http: HttpServer): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // The second one means it.
      if (stopping) process.exit(1);
      stopping = true;
      container.logger.info({ signal }, 'draining');
      void stop(container, http).then(
        () => process.exit(0),
        (error: unknown) => {
          container.logger.fatal({ err: error }, 'could not stop in order');
          process.exit(1);
        },
      );
    });
}

/** Calls under way may wait for jobs, so both end side by side; the process leaves as soon as they have. */
async function stop(container: Container, http: HttpServer): Promise<void> {
  const ended = Promise.all([http.drain(), container.drain(DRAIN_GRACE_MS)]);
  await Promise.race([ended, sleep(DRAIN_GRACE_MS)]);
  http.server.closeAllConnections();
  await container.close();
  container.logger.info('stopped');
}
