import type { Migration } from './columns.ts';

const CHUNK = 500;

/**
 * Costs are listed by name. The day on which one falls due next follows from the last one and from today, so that a
 * column for it could only be wrong; it was never written.
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
          .update({ name_key: keyOf(name) });
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

/** As costs make it; a migration stays what it was when that changes. */
const keyOf = (name: string): string => Array.from(name.toLowerCase()).slice(0, 255).join('');
