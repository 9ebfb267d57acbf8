import type { Config } from './config.ts';
import { keyOfFolder, makeDataFolder } from './db/data-folder.ts';
import { openDatabase, type Database } from './db/database.ts';
import { Sealing } from './db/sealing.ts';
import { AccessService } from './domains/access/index.ts';
import { ChangeLog } from './domains/changes/index.ts';
import { ModuleService } from './domains/modules/index.ts';
import { SettingsService } from './domains/settings/index.ts';
import { systemClock, type Clock } from './shared/clock.ts';
import { createLogger, type Logger } from './shared/logger.ts';

/** What works without a fleet: enough for the operator's commands. */
export interface Core {
  database: Database;
  sealing: Sealing;
  clock: Clock;
  logger: Logger;
  changeLog: ChangeLog;
  access: AccessService;
  settings: SettingsService;
  modules: ModuleService;
  close(): Promise<void>;
}

/** Parts that a test may hold in its own hand. */
export interface CoreOverrides {
  /** Opened already; closing it stays with the one who opened it. */
  database?: Database;
  clock?: Clock;
  logger?: Logger;
}

/** Opens the database and nothing more: migrations are the caller's to ask for. */
export async function createCore(config: Config, overrides: CoreOverrides = {}): Promise<Core> {
  const clock = overrides.clock ?? systemClock;
  const logger = overrides.logger ?? createLogger(config.logLevel);
  if (!overrides.database && config.database.dialect === 'sqlite') makeDataFolder(config.dataDir);
  const database = overrides.database ?? openDatabase(config.database);
  const sealing = new Sealing(config.secretKey ?? (await keyOfFolder(config.dataDir, database)));
  const changeLog = new ChangeLog(clock);
  const access = new AccessService(database, sealing, clock, changeLog);
  const settings = new SettingsService(database, clock, changeLog);
  const modules = new ModuleService(database, clock, changeLog);
  const close = async (): Promise<void> => {
    settings.stop();
    await access.idle();
    if (!overrides.database) await database.close();
  };
  return { database, sealing, clock, logger, changeLog, access, settings, modules, close };
}
