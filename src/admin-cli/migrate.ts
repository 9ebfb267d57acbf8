import { migrateDown, migrateUp, migrationStatus } from '../db/migrations/index.ts';
import { isSet, UsageError, type CommandGroup } from './command.ts';
import { formatTextTable } from './output-format.ts';

export const migrateCommands: CommandGroup = {
  name: 'migrate',
  summary: 'Manage the database schema.',
  migratesFirst: false,
  verbs: {
    status: {
      summary: 'Show which migrations are applied.',
      options: {},
      example: 'migrate status',
      run: async ({ database }) => {
        const all = await migrationStatus(database.knex);
        const rows = all.map(({ name, applied }) => [name, applied ? 'applied' : 'missing']);
        return { data: all, text: formatTextTable(rows, ['MIGRATION', 'STATE']) };
      },
    },
    up: {
      summary: 'Apply missing migrations. The service also does this when it starts.',
      options: {},
      example: 'migrate up',
      run: async ({ database }, _values, progress) => {
        const missing = (await migrationStatus(database.knex)).filter(({ applied }) => !applied);
        if (missing.length > 0) progress(`Applying ${missing.length} migrations …`);
        const applied = await migrateUp(database.knex, progress);
        const text =
          applied.length > 0
            ? applied.map((name) => `Applied ${name}.`).join('\n')
            : 'There are no migrations to apply.';
        return { data: { applied }, text };
      },
    },
    down: {
      summary: 'Roll back the newest migration and lose its data. Stop the service and make a backup first.',
      options: { yes: { description: 'Confirm that the data may be lost. Without this option, nothing is changed.' } },
      example: 'migrate down --yes',
      run: async ({ database }, values, progress) => {
        const newest = (await migrationStatus(database.knex)).filter(({ applied }) => applied).at(-1);
        if (!newest) return { data: { reverted: [] }, text: 'There is no migration to roll back.' };
        if (!isSet(values, 'yes'))
          throw new UsageError(`This would roll back ${newest.name} and lose its data. Pass --yes to confirm.`);
        progress(`Rolling back ${newest.name} …`);
        const reverted = await migrateDown(database.knex);
        return { data: { reverted }, text: reverted.map((name) => `Rolled back ${name}.`).join('\n') };
      },
    },
  },
};
