import type { Migration } from './columns.ts';

const CHUNK = 500;

/**
 * Adds `name_key`, by which lists are sorted by name. Drops `next_renewal`, which was never written: the next due date
 * depends on the last one and on the current date, so a stored date would become wrong.
 */
export const extendCosts: Migration = {
  name: '20261121T1620_extend_costs',
  async up(knex) {
    await knex.schema.alterTable('costs', (table) => {
      table.string('name_key', 255).notNullable().defaultTo('');
      table.string('color', 7);
      table.index(['name_key', 'id'], 'costs_name');
    });
    for (let last = 0; ;) {
      const rows = await knex('costs')
        .where('id', '>', last)
        .orderBy('id')
        .limit(CHUNK)
        .select<{ id: number; name: string }[]>('id', 'name');
      for (const { id, name } of rows)
        await knex('costs')
          .where({ id })
          .update({ name_key: costNameKeyOf(name) });
      if (rows.length < CHUNK) break;
      last = rows.at(-1)?.id ?? last;
    }
    await knex.raw('alter table ?? drop column ??', ['costs', 'next_renewal']);
  },
  async down(knex) {
    await knex.schema.alterTable('costs', (table) => {
      table.string('next_renewal', 10);
      table.dropIndex(['name_key', 'id'], 'costs_name');
    });
    for (const column of ['name_key', 'color']) await knex.raw('alter table ?? drop column ??', ['costs', column]);
  },
};

/**
 * Returns the sort key of a name. Copied from the code of costs, because a migration must not change when that code
 * does.
 */
const costNameKeyOf = (name: string): string => Array.from(name.toLowerCase()).slice(0, 255).join('');
