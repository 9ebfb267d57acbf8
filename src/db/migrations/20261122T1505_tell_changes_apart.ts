import type { Knex } from 'knex';
import type { Migration } from './columns.ts';

const A_TIME = 500;

interface ChangeTypeRenaming {
  from: string;
  to: string;
  /** End of the descriptions of the changes to rename. If omitted, all changes of the type are renamed. */
  ending?: string;
  /** True if the old name is not used for other changes, so that the monthly counts are renamed too. */
  whole?: boolean;
}

const renamingsOfPostsAndPages = (action: string, to: string, more: object): ChangeTypeRenaming[] =>
  ['post', 'page'].map((context) => ({ from: `${context}.${action}`, to: `${context}.${to}`, ...more }));

/**
 * Changes that were logged under a wrong or too general type, with the type that they get now. Without `whole`, other
 * changes keep the old type.
 */
const RENAMINGS: readonly ChangeTypeRenaming[] = [
  { from: 'file.updated', to: 'plugin.edited', ending: ': a file of a plugin' },
  { from: 'file.updated', to: 'theme.edited', ending: ': a file of a theme' },
  { from: 'comment.updated', to: 'comment.edited', whole: true },
  { from: 'menu.enabled', to: 'menu.updated', whole: true },
  { from: 'menu.disabled', to: 'menu.updated', whole: true },
  { from: 'user.added', to: 'user.updated', whole: true },
  { from: 'user.updated', to: 'user.connection_changed', ending: ': connection of the child plugin' },
  ...renamingsOfPostsAndPages('added', 'updated', { whole: true }),
  ...renamingsOfPostsAndPages('removed', 'updated', { whole: true }),
  ...renamingsOfPostsAndPages('updated', 'taken_over', { ending: ': taken over from another editor' }),
  ...renamingsOfPostsAndPages('updated', 'submitted', { ending: ': submitted for review' }),
];

/**
 * Gives changes from the changes log of a child more exact types. The first `published` entry of a post or page becomes
 * `created`, unless the post was created or scheduled before. An update of WordPress that is in both logs of the child
 * is kept once.
 */
export const tellChangesApart: Migration = {
  name: '20261122T1505_tell_changes_apart',
  async up(knex) {
    for (const { from, to, ending, whole } of RENAMINGS) {
      await renameChangeType(knex, to, (rows) => {
        void rows.where({ type: from });
        if (ending !== undefined) void rows.where('description', 'like', `%${ending}`);
      });
      if (whole) await moveMonthlyCounts(knex, from, to);
    }
    await renameChangeType(knex, 'user.role_given', (rows) =>
      rows.where({ type: 'user.role_changed' }).whereNull('old_values'),
    );
    for (const context of ['post', 'page'])
      await renameChangeType(knex, `${context}.created`, (rows) =>
        rows
          .where({ type: `${context}.published` })
          .whereNotNull('object_key')
          .whereNotExists(selectEarlierCreations(knex, context)),
      );
    await deleteDuplicateUpdateChanges(knex);
  },
  async down(knex) {
    for (const { from, to } of RENAMINGS.filter(({ whole }) => !whole))
      await renameChangeType(knex, from, (rows) => rows.where({ type: to }));
    await renameChangeType(knex, 'comment.updated', (rows) => rows.where({ type: 'comment.edited' }));
    await renameChangeType(knex, 'user.role_changed', (rows) => rows.where({ type: 'user.role_given' }));
  },
};

/** Renames changes in batches, so that no statement locks the table. */
async function renameChangeType(knex: Knex, type: string, choose: (rows: Knex.QueryBuilder) => unknown): Promise<void> {
  for (;;) {
    const rows = knex('changes as changed').where({ source: 'child_changes' });
    choose(rows);
    const ids = await rows.limit(A_TIME).pluck<number[]>('changed.id');
    if (ids.length > 0) await knex('changes').whereIn('id', ids).update({ type });
    if (ids.length < A_TIME) return;
  }
}

const selectEarlierCreations = (knex: Knex, context: string): Knex.QueryBuilder =>
  knex('changes as earlier')
    .whereRaw('earlier.site_id = changed.site_id and earlier.object_key = changed.object_key')
    .whereRaw('(earlier.at < changed.at or (earlier.at = changed.at and earlier.id < changed.id))')
    .whereIn('earlier.type', [`${context}.created`, `${context}.published`, `${context}.scheduled`])
    .select(knex.raw('1'));

async function deleteDuplicateUpdateChanges(knex: Knex): Promise<void> {
  const ids = await knex('changes as echo')
    .join('changes as told', 'told.site_id', 'echo.site_id')
    .where({ 'echo.type': 'wordpress.updated', 'echo.source': 'child_actions' })
    .where({ 'told.type': 'wordpress.updated', 'told.source': 'child_changes' })
    .whereRaw('told.at between echo.at - 60000 and echo.at + 60000')
    .pluck<number[]>('echo.id');
  for (let start = 0; start < ids.length; start += A_TIME)
    await knex('changes')
      .whereIn('id', ids.slice(start, start + A_TIME))
      .delete();
}

async function moveMonthlyCounts(knex: Knex, from: string, to: string): Promise<void> {
  const rows = await knex('change_counts')
    .where({ type: from, source: 'child_changes' })
    .select<{ site_id: number; month: number; count: number }[]>('site_id', 'month', 'count');
  for (const { site_id, month, count } of rows) {
    const key = { site_id, month, source: 'child_changes' };
    const added = await knex('change_counts')
      .where({ ...key, type: to })
      .increment('count', count);
    if (added === 0) await knex('change_counts').insert({ ...key, type: to, count });
    await knex('change_counts')
      .where({ ...key, type: from })
      .delete();
  }
}
