import type { Knex } from 'knex';
import { createAccess } from './20261121T1100_create_access.ts';
import { createSites } from './20261121T1110_create_sites.ts';
import { createSyncedState } from './20261121T1120_create_synced_state.ts';
import { createCosts } from './20261121T1130_create_costs.ts';
import { createOperation } from './20261121T1140_create_operation.ts';
import type { Migration } from './columns.ts';

/** In order, never edited once released; a change of the schema is a further one. */
export const MIGRATIONS: readonly Migration[] = [
  createAccess,
  createSites,
  createSyncedState,
  createCosts,
  createOperation,
];

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...MIGRATIONS]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) => Promise.resolve({ up: migration.up, down: migration.down }),
};

// MySQL commits DDL by itself, so that a transaction around it would only pretend.
const options: Knex.MigratorConfig = {
  migrationSource: source,
  disableTransactions: true,
  tableName: 'schema_migrations',
};

export interface MigrationStatus {
  name: string;
  applied: boolean;
}

/** Applies what is missing; several processes may call it at once, the migrator's own lock lets one through. */
export async function migrateUp(knex: Knex): Promise<string[]> {
  const [, names] = (await knex.migrate.latest(options)) as [number, string[]];
  return names;
}

/** Takes the newest one back. */
export async function migrateDown(knex: Knex): Promise<string[]> {
  const [, names] = (await knex.migrate.down(options)) as [number, string[]];
  return names;
}

export async function migrationStatus(knex: Knex): Promise<MigrationStatus[]> {
  const [applied] = (await knex.migrate.list(options)) as [{ name: string }[], Migration[]];
  const done = new Set(applied.map(({ name }) => name));
  return MIGRATIONS.map(({ name }) => ({ name, applied: done.has(name) }));
}
