import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';
import type { Migration } from './columns.ts';

/**
 * Widens the identifiers of job items, which contain the caller's site reference of up to 2048 characters. SQLite
 * stores any length.
 */
export const widenItemIdentifiers: Migration = {
  name: '20261122T0230_widen_item_identifiers',
  up: (knex) => resizeItemIdentifiers(knex, 2100),
  down: (knex) => resizeItemIdentifiers(knex, 512),
};

async function resizeItemIdentifiers(knex: Knex, length: number): Promise<void> {
  if (!isMysql(knex)) return;
  await knex('job_items')
    .whereRaw('char_length(identifier) > ?', [length])
    .update({ identifier: knex.raw('left(identifier, ?)', [length]) });
  await knex.schema.alterTable('job_items', (table) => {
    table.string('identifier', length).notNullable().alter();
  });
}
