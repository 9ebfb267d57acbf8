import { createRequire } from 'node:module';
import type { DatabaseSync, StatementSyncInstance } from '@photostructure/sqlite';

export type SqliteFile = InstanceType<typeof DatabaseSync>;
export type SqliteStatement = StatementSyncInstance;
export type SqliteModule = { DatabaseSync: typeof DatabaseSync };

/** Node's own module where it has all that is used here; older ones get the package with the same API. */
export const sqlite: SqliteModule =
  builtIn() ?? (createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule);

function builtIn(): SqliteModule | null {
  // Some versions warn that the module is an experiment, which operators can do nothing about.
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    const builtInModule = process.getBuiltinModule('node:sqlite') as
      | (SqliteModule & { StatementSync: Prototype })
      | undefined;
    return builtInModule && 'setReturnArrays' in builtInModule.StatementSync.prototype ? builtInModule : null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

interface Prototype {
  prototype: object;
}
