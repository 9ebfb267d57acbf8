import { createRequire } from 'node:module';
import type { DatabaseSync, StatementSyncInstance } from '@photostructure/sqlite';

export type SqliteFile = InstanceType<typeof DatabaseSync>;
export type SqliteStatement = StatementSyncInstance;
export type SqliteModule = { DatabaseSync: typeof DatabaseSync };

const builtInModule = findBuiltInSqliteModule();

/** Node's module if it has all functions that are used here; otherwise the package with the same API. */
export const sqliteModule: SqliteModule =
  builtInModule ?? (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule);

export const sqliteModuleName = builtInModule
  ? 'node:sqlite'
  : createRequire(import.meta.url).resolve('@photostructure/sqlite');

function findBuiltInSqliteModule(): SqliteModule | null {
  // Some versions warn that the module is experimental. Operators cannot do anything about that.
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    const builtIn = process.getBuiltinModule('node:sqlite') as
      | (SqliteModule & { StatementSync: Prototype })
      | undefined;
    return builtIn && 'setReturnArrays' in builtIn.StatementSync.prototype ? builtIn : null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

interface Prototype {
  prototype: object;
}
