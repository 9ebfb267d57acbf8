import type { Knex } from 'knex';
import { migrateUp } from '../db/migrations/index.ts';
import type { Logger } from '../shared/logger.ts';
import { STOP_SIGNALS } from './drain.ts';

/**
 * Applies the missing migrations. After a signal to stop, the current migration is completed and no further one begins.
 * Returns false if the process must end.
 */
export async function migrateOnStart(knex: Knex, logger: Logger): Promise<boolean> {
  const stopping = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    // After a second signal the operator does not want to wait. The next start resumes the migration.
    if (stopping.signal.aborted) process.exit(1);
    logger.info({ signal }, 'stopping after the current migration');
    stopping.abort();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  try {
    await migrateUp(knex, (message) => logger.warn(message), stopping.signal);
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
  return !stopping.signal.aborted;
}
