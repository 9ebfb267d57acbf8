import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

/**
 * Stores fractions of a second in the time up to which the changes log of a child was read, because one second may have
 * more entries than one response can contain.
 */
export const readChangesByFractions: Migration = {
  name: '20261122T0245_read_changes_by_fractions',
  up: (knex) =>
    replaceChangesCursorColumn(
      knex,
      (table) => table.double('changes_position').notNullable().defaultTo(0),
      'changes_cursor',
    ),
  down: (knex) =>
    replaceChangesCursorColumn(
      knex,
      (table) => table.bigInteger('changes_position').notNullable().defaultTo(0),
      'floor(changes_cursor)',
    ),
};

async function replaceChangesCursorColumn(
  knex: Knex,
  column: (table: Knex.AlterTableBuilder) => unknown,
  value: string,
): Promise<void> {
  await knex.schema.alterTable('site_states', (table) => void column(table));
  await knex('site_states').update({ changes_position: knex.raw(value) });
  await knex.raw('alter table ?? drop column ??', ['site_states', 'changes_cursor']);
  await knex.raw('alter table ?? rename column ?? to ??', ['site_states', 'changes_position', 'changes_cursor']);
}
