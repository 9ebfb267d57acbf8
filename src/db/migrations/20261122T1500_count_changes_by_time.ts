import type { Migration } from './columns.ts';

export const countChangesByTime: Migration = {
  name: '20261122T1500_count_changes_by_time',
  up: (knex) =>
    knex.schema.alterTable('changes', (table) => void table.index(['site_id', 'at', 'type'], 'changes_time_type')),
  down: (knex) =>
    knex.schema.alterTable('changes', (table) => void table.dropIndex(['site_id', 'at', 'type'], 'changes_time_type')),
};
