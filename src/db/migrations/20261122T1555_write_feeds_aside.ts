import type { Knex } from 'knex';
import { isMysql } from '../dialect.ts';
import type { Migration } from './columns.ts';

/** Numbers the complete reads of a feed as generations, so that all records of a new one take effect at once. */
export const writeFeedsAside: Migration = {
  name: '20261122T1555_write_feeds_aside',
  async up(knex) {
    await knex.schema.alterTable('vulnerability_feeds', (table) => {
      table.integer('generation').notNullable().defaultTo(0);
    });
    await knex.schema.alterTable('vulnerable_versions', (table) => {
      // First generation of the feed that contains the record, and first later generation that does not.
      table.integer('born_in').notNullable().defaultTo(0);
      table.integer('gone_in');
      table.index(['vulnerability_id'], 'vulnerable_versions_record');
      table.index(['gone_in'], 'vulnerable_versions_gone');
    });
    await knex.schema.alterTable('vulnerability_matches_due', (table) => {
      // Generation of a feed that must take effect before the comparison; null for changes by a site.
      table.integer('feed_id');
      table.integer('generation');
      table.unique(['feed_id', 'generation', 'type', 'slug'], { indexName: 'vulnerability_matches_due_item' });
    });
  },
  async down(knex) {
    await knex.schema.alterTable('vulnerability_matches_due', (table) => {
      table.dropUnique(['feed_id', 'generation', 'type', 'slug'], 'vulnerability_matches_due_item');
    });
    await knex.schema.alterTable('vulnerable_versions', (table) => {
      table.dropIndex(['gone_in'], 'vulnerable_versions_gone');
    });
    if (isMysql(knex)) await keepForeignKeyIndexed(knex);
    await knex.schema.alterTable('vulnerable_versions', (table) => {
      table.dropIndex(['vulnerability_id'], 'vulnerable_versions_record');
    });
    for (const [table, column] of [
      ['vulnerability_feeds', 'generation'],
      ['vulnerable_versions', 'born_in'],
      ['vulnerable_versions', 'gone_in'],
      ['vulnerability_matches_due', 'feed_id'],
      ['vulnerability_matches_due', 'generation'],
    ] as const)
      await knex.raw('alter table ?? drop column ??', [table, column]);
  },
};

/**
 * Adds the index that MySQL needs for a foreign key, unless it exists. MySQL made it itself, but dropped it when `up`
 * added `vulnerable_versions_record`, which `down` removes.
 */
async function keepForeignKeyIndexed(knex: Knex): Promise<void> {
  const name = 'vulnerable_versions_vulnerability';
  const existingIndex: unknown = await knex('information_schema.statistics')
    .whereRaw('table_schema = database()')
    .where({ table_name: 'vulnerable_versions', index_name: name })
    .first('index_name');
  // A rollback creates this index, and applying the migration again does not drop it, so it may exist already.
  if (existingIndex === undefined)
    await knex.schema.alterTable('vulnerable_versions', (table) => void table.index(['vulnerability_id'], name));
}
