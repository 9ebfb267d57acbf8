import type { Knex } from 'knex';
import { SECOND } from '../../shared/clock.ts';
import { groupBy } from '../../shared/group-by.ts';
import { ChangeRepository, type NewChangeRow } from './change-repository.ts';
import { BEGINNING, creationTypesOf } from './child-log-corrections.ts';
import { SAVE_WITHIN } from './child-log-saves.ts';
import { listedKeyOf, ListedCreationRepository, type ListedObject } from './listed-creation-repository.ts';
import { keysOf, objectOf, readObjects, selectBySite } from './site-changes-read-model.ts';

/**
 * This file corrects log entries about posts, pages and comments whose creation a child plugin does not log
 * (protocol 4.9).
 */

/** Maximum time from an entry of the lists of a site to the log entry about the same creation. */
const SAME_WITHIN = 60 * SECOND;
const CREATION = /^((post|page)\.created|comment\.(created|replied))$/;

const isCreation = ({ type }: NewChangeRow): boolean => CREATION.test(type) || BEGINNING.test(type);
const toListed = ({ site_id, type, object_key }: NewChangeRow): ListedObject => ({
  siteId: Number(site_id),
  key: listedKeyOf(type.split('.')[0] ?? '', object_key ?? ''),
});

/**
 * If a program inserts a post, the child plugin logs only its first categories. This converts that entry to the
 * creation of the post, if the post is new: its ID is higher than all IDs that earlier syncs listed, or a sync has
 * found it in the lists. `statuses` has the status of the post for each such entry. A post that was saved in the editor
 * is left out, because the log has its creation.
 */
export async function convertInsertions(
  trx: Knex.Transaction,
  rows: readonly NewChangeRow[],
  statuses: ReadonlyMap<NewChangeRow, string>,
): Promise<NewChangeRow[]> {
  const creations = groupBy(rows.filter(isCreation), objectOf);
  const isSaved = (row: NewChangeRow): boolean =>
    (creations.get(objectOf(row)) ?? []).some(({ at }) => Math.abs(at - row.at) <= SAVE_WITHIN);
  const insertions = rows.filter((row) => row.object_key !== null && statuses.has(row) && !isSaved(row));
  if (insertions.length === 0) return [...rows];
  const isNew = await newPostMatcher(trx, insertions);
  const first = new Map(insertions.toReversed().map((row) => [objectOf(row), row]));
  return rows.map((row) => {
    if (first.get(objectOf(row)) !== row || !isNew(row)) return row;
    const values = { new_values: JSON.stringify({ status: statuses.get(row) }), old_values: null };
    return { ...row, type: 'post.created', description: createdSentence(row), ...values };
  });
}

async function newPostMatcher(
  trx: Knex.Transaction,
  insertions: readonly NewChangeRow[],
): Promise<(row: NewChangeRow) => boolean> {
  const repository = new ListedCreationRepository(trx);
  const marksOf = await repository.marks([...new Set(insertions.map(({ site_id }) => Number(site_id)))]);
  const listed = new Set((await repository.find(insertions.map(toListed))).map(objectOf));
  const selections = selectBySite(insertions, (ofSite) => ({
    type: creationTypesOf('post'),
    object_key: keysOf(ofSite),
  }));
  const known = await readObjects(trx, selections);
  return (row) => {
    const { post: mark } = marksOf(Number(row.site_id));
    return listed.has(objectOf(row)) || (!known.has(objectOf(row)) && mark !== null && Number(row.object_key) > mark);
  };
}

const createdSentence = ({ object_name }: NewChangeRow): string =>
  object_name === null ? 'Post created' : `Post "${object_name}" created`;

/**
 * Deletes creations that a sync took from the lists of the site, once a log of the site has them too. An entry such as
 * `published` is the creation itself or a later change. It counts as the creation until a minute after the time of the
 * listed entry. A later one is another change: the log lacks the creation, so the listed entry is kept.
 */
export async function dropListedCreations(trx: Knex.Transaction, rows: readonly NewChangeRow[]): Promise<void> {
  const logged = rows.filter((row) => row.object_key !== null && isCreation(row));
  if (logged.length === 0) return;
  const byObject = groupBy(logged, objectOf);
  const creations = await new ListedCreationRepository(trx).find(logged.map(toListed));
  const known = creations.filter((creation) =>
    (byObject.get(objectOf(creation)) ?? []).some(
      ({ type, at }) => CREATION.test(type) || at <= creation.at + SAME_WITHIN,
    ),
  );
  await new ChangeRepository(trx).delete(known.map(({ id }) => id));
}
