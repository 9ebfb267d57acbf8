import type { Config } from './config.ts';
import { readOrCreateSealingKey, makeDataFolder, refuseEmptiedFile } from '../db/data-folder.ts';
import { openDatabase, type Database } from '../db/database.ts';
import { Sealing } from '../db/sealing.ts';
import { systemClock, type Clock } from '../shared/clock.ts';
import { createLogger, type Logger } from '../shared/logger.ts';

/** Services that never call a site. The admin CLI is built on these. */
export interface BaseServices {
  database: Database;
  sealing: Sealing;
  clock: Clock;
  logger: Logger;
  close(): Promise<void>;
}

export interface BaseServiceOverrides {
  /** Database that is already open. `close` leaves it open. */
  database?: Database;
  clock?: Clock;
  logger?: Logger;
}

/** Opens the database without running migrations. */
export async function createBaseServices(config: Config, overrides: BaseServiceOverrides = {}): Promise<BaseServices> {
  const clock = overrides.clock ?? systemClock;
  const logger = overrides.logger ?? createLogger(config.logLevel);
  if (!overrides.database && config.database.dialect === 'sqlite') {
    makeDataFolder(config.dataDir);
    refuseEmptiedFile(config.dataDir, config.database.file);
  }
  const database = overrides.database ?? openDatabase(config.database);
  const close = async (): Promise<void> => {
    if (!overrides.database) await database.close();
  };
  try {
    const sealing = new Sealing(config.secretKey ?? (await readOrCreateSealingKey(config.dataDir, database)));
    return { database, sealing, clock, logger, close };
  } catch (error) {
    // An open database would keep a command running.
    await close();
    throw error;
  }
}
