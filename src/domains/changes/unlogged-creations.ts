import { SECOND } from '../../shared/clock.ts';
import type { ChangeRepository, NewChangeRow } from './change-repository.ts';
import { BEGINNING, FIRST_ACTIONS } from './child-log-corrections.ts';
import { SAVE_WITHIN } from './child-log-saves.ts';
import { listedKeyOf, type ListedCreationRepository } from './listed-creation-repository.ts';

/**
 * This file corrects log entries about posts, pages and comments whose creation a child plugin does not log
 * (protocol 4.9).
 */

/** Maximum time from an entry of the lists of a site to the log entry about the same creation. */
const SAME_WITHIN = 60 * SECOND;
const CREATION = /^((post|page)\.created|comment\.(created|replied))$/;
const POST_CREATIONS = ['created', ...Object.keys(FIRST_ACTIONS)].map((action) => `post.${action}`);

const isCreation = ({ type }: NewChangeRow): boolean => CREATION.test(type) || BEGINNING.test(type);
const keyOf = ({ type, object_key }: NewChangeRow): string => listedKeyOf(type.split('.')[0] ?? '', object_key ?? '');

/**
 * If a program inserts a post, the child plugin logs only its first categories. This converts that entry to the
 * creation of the post, if the post is new: its ID is higher than all IDs that earlier syncs listed, or a sync has
 * found it in the lists. `statuses` has the status of the post for each such entry. A post that was saved in the editor
 * is left out, because the log has its creation.
 */
export async function convertInsertions(
  { listed, changes }: { listed: ListedCreationRepository; changes: ChangeRepository },
  siteId: number,
  rows: readonly NewChangeRow[],
  statuses: ReadonlyMap<NewChangeRow, string>,
): Promise<NewChangeRow[]> {
  const creationTimes = new Map<string, number[]>();
  for (const row of rows.filter(isCreation))
    creationTimes.set(keyOf(row), [...(creationTimes.get(keyOf(row)) ?? []), row.at]);
  const isSaved = (row: NewChangeRow): boolean =>
    (creationTimes.get(keyOf(row)) ?? []).some((at) => Math.abs(at - row.at) <= SAVE_WITHIN);
  const insertions = rows.filter((row) => row.object_key !== null && statuses.has(row) && !isSaved(row));
  if (insertions.length === 0) return [...rows];
  const keys = [...new Set(insertions.flatMap(({ object_key }) => object_key ?? []))];
  const { post: mark } = (await listed.marks([siteId]))(siteId);
  const listedKeys = new Set(
    (
      await listed.find(
        siteId,
        keys.map((key) => listedKeyOf('post', key)),
      )
    ).map(({ key }) => key),
  );
  const known = await changes.knownKeys(siteId, POST_CREATIONS, keys);
  const isNew = (row: NewChangeRow): boolean => {
    const key = row.object_key ?? '';
    if (listedKeys.has(keyOf(row))) return true;
    return !known.has(key) && mark !== null && Number(key) > mark;
  };
  const first = new Map(insertions.toReversed().map((row) => [keyOf(row), row]));
  return rows.map((row) => {
    if (first.get(keyOf(row)) !== row || !isNew(row)) return row;
    const values = { new_values: JSON.stringify({ status: statuses.get(row) }), old_values: null };
    return { ...row, type: 'post.created', description: createdSentence(row), ...values };
  });
}

const createdSentence = ({ object_name }: NewChangeRow): string =>
  object_name === null ? 'Post created' : `Post "${object_name}" created`;

/**
 * Deletes creations that a sync took from the lists of the site, once a log of the site has them too. An entry such as
 * `published` is the creation itself or a later change. It counts as the creation until a minute after the time of the
 * listed entry. A later one is another change: the log lacks the creation, so the listed entry is kept.
 */
export async function dropListedCreations(
  repository: ListedCreationRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<void> {
  const logged = rows.filter((row) => row.object_key !== null && isCreation(row));
  if (logged.length === 0) return;
  const creations = await repository.find(siteId, [...new Set(logged.map(keyOf))]);
  const listed = new Map(creations.map((creation) => [creation.key, creation]));
  const known = logged.filter((row) => {
    const creation = listed.get(keyOf(row));
    return creation !== undefined && (CREATION.test(row.type) || row.at <= creation.at + SAME_WITHIN);
  });
  await repository.delete(siteId, [...new Set(known.map(keyOf))]);
}
