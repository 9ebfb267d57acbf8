import type { Migration } from './columns.ts';

/**
 * Clears the marks of feeds with records whose software was taken back (their hash is `?`). Until a feed changed, its
 * mark said that there was nothing to read, so such records stayed incomplete.
 */
export const rereadUnsureFeeds: Migration = {
  name: '20261202T6010_reread_unsure_feeds',
  async up(knex) {
    const ids = await knex('vulnerabilities').where({ hash: '?' }).distinct('feed_id').pluck<number[]>('feed_id');
    await knex('vulnerability_feeds').whereIn('id', ids).update({ mark: '' });
  },
  down: () => Promise.resolve(),
};
