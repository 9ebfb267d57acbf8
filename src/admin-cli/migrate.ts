import { migrateDown, migrateUp, migrationStatus } from '../db/migrations/index.ts';
import { isSet, UsageError, type CommandGroup } from './command.ts';
import { table } from './output.ts';

export const migrate: CommandGroup = {
  name: 'migrate',
  summary: 'The structure of the database.',
  migratesFirst: false,
  verbs: {
    status: {
      summary: 'Show which migrations are applied.',
      options: {},
      example: 'migrate status',
      run: async ({ database }) => {
        const all = await migrationStatus(database.knex);
        const rows = all.map(({ name, applied }) => [name, applied ? 'applied' : 'missing']);
        return { data: all, text: table(rows, ['MIGRATION', 'STATE']) };
      },
    },
    up: {
      summary: 'Apply the migrations that are missing. The service does so itself when it starts.',
      options: {},
      example: 'migrate up',
      run: async ({ database }, _values, progress) => {
        const missing = (await migrationStatus(database.knex)).filter(({ applied }) => !applied);
        if (missing.length > 0) progress(`Applying ${missing.length} migrations …`);
        const applied = missing.length > 0 ? await migrateUp(database.knex) : [];
        const text = applied.length > 0 ? applied.map((name) => `Applied ${name}.`).join('\n') : 'Nothing to apply.';
        return { data: { applied }, text };
      },
    },
    down: {
      summary: 'Take the newest migration back. What it stored is lost; stop the service and make a backup first.',
      options: { yes: { description: 'Confirm that the data may be lost. Without it nothing is done.' } },
      example: 'migrate down --yes',
      run: async ({ database }, values, progress) => {
        const newest = (await migrationStatus(database.knex)).filter(({ applied }) => applied).at(-1);
        if (!newest) return { data: { reverted: [] }, text: 'Nothing to take back.' };
        if (!isSet(values, 'yes'))
          throw new UsageError(`This would take back ${newest.name} and lose its data; add --yes to confirm.`);
        progress(`Taking back ${newest.name} …`);
        const reverted = await migrateDown(database.knex);
        return { data: { reverted }, text: reverted.map((name) => `Took back ${name}.`).join('\n') };
      },
    },
  },
};
