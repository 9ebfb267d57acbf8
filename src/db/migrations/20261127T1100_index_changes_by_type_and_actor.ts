import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

interface IndexChange {
  name: string;
  before?: string[];
  after: string[];
}

/**
 * Each index ends with the columns of the other filters, so that only the rows of a page are read. `id` comes directly
 * after `at`, because lists are sorted by `at` and then by `id`. With another column in between, MySQL would sort all
 * rows.
 */
const INDEXES: readonly IndexChange[] = [
  { name: 'changes_age', before: ['at'], after: ['at', 'id', 'source', 'type'] },
  { name: 'changes_order', before: ['site_id', 'at', 'id'], after: ['site_id', 'at', 'id', 'source'] },
  { name: 'changes_time_type', before: ['site_id', 'at', 'type'], after: ['site_id', 'at', 'type', 'source'] },
  { name: 'changes_type', after: ['type', 'at', 'id', 'source'] },
  { name: 'changes_actor', after: ['actor', 'at', 'id', 'source'] },
];

async function replaceIndexes(knex: Knex, indexes: readonly IndexChange[], from: 'before' | 'after'): Promise<void> {
  const to = from === 'before' ? 'after' : 'before';
  for (const { name, ...columns } of indexes) {
    const [old, fresh] = [columns[from], columns[to]];
    await knex.schema.alterTable('changes', (table) => {
      if (old) table.dropIndex(old, name);
      if (fresh) table.index(fresh, name);
    });
  }
}

export const indexChangesByTypeAndActor: Migration = {
  name: '20261127T1100_index_changes_by_type_and_actor',
  up: (knex) => replaceIndexes(knex, INDEXES, 'before'),
  down: (knex) => replaceIndexes(knex, INDEXES, 'after'),
};
