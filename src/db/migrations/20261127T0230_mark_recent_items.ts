import type { Migration } from './columns.ts';

/**
 * Adds the highest ID in a site's list of recent comments, and the highest ID in its list of recent posts and pages.
 * The next sync of each site sets them. From then on, only items with higher IDs count as created.
 */
export const markRecentItems: Migration = {
  name: '20261127T0230_mark_recent_items',
  up: (knex) =>
    knex.schema.alterTable('site_states', (table) => {
      table.bigInteger('last_comment_id');
      table.bigInteger('last_post_id');
    }),
  async down(knex) {
    for (const column of ['last_comment_id', 'last_post_id'])
      await knex.raw('alter table ?? drop column ??', ['site_states', column]);
  },
};
