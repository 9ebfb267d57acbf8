import type { Knex } from 'knex';
import { SECOND } from '../../shared/clock.ts';
import { groupBy } from '../../shared/group-by.ts';
import { ChangeRepository, type NewChangeRow } from './change-repository.ts';
import { keysOf, objectOf, readObjects, readSiteChanges, selectBySite, spanOf } from './site-changes-read-model.ts';

type DuplicateCandidate = Pick<NewChangeRow, 'site_id' | 'source' | 'type' | 'object_name' | 'at'>;

const SHARED = /^(plugin|theme|wordpress)\./;
/** Maximum difference between the times of the same event in the two logs of a child plugin. */
const SAME_WITHIN = 60 * SECOND;

/**
 * Removes duplicates. Some events, for example a WordPress update, are in both logs of a child plugin. The entry of the
 * changes log is kept, because the actions log reports the old version as the new one.
 */
export async function dropDuplicateLogRows(
  trx: Knex.Transaction,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const shared = rows.filter(({ type }) => SHARED.test(type));
  if (shared.length === 0) return [...rows];
  const selections = selectBySite(shared, (ofSite) => ({
    source: ['child_actions', 'child_changes'],
    type: [...new Set(ofSite.map(({ type }) => type))],
    span: spanOf(ofSite, SAME_WITHIN),
  }));
  const stored = await readSiteChanges(trx, ['id', 'site_id', 'source', 'type', 'object_name', 'at'], selections);
  const isEcho = duplicateMatcher([...shared, ...stored].filter(({ source }) => source === 'child_changes'));
  await new ChangeRepository(trx).delete(stored.filter(isEcho).map(({ id }) => id));
  return rows.filter((row) => !isEcho(row));
}

function duplicateMatcher(entries: readonly DuplicateCandidate[]): (entry: DuplicateCandidate) => boolean {
  const eventOf = ({ site_id, type, object_name }: DuplicateCandidate): string =>
    JSON.stringify([site_id, type, object_name]);
  const events = groupBy(entries, eventOf);
  return (entry) =>
    entry.source === 'child_actions' &&
    (events.get(eventOf(entry)) ?? []).some(({ at }) => Math.abs(at - entry.at) <= SAME_WITHIN);
}

/** Actions that can be the first entry of a post, and the status that the post then has. */
export const FIRST_ACTIONS: Readonly<Record<string, string>> = {
  published: 'publish',
  scheduled: 'future',
  submitted: 'pending',
};
export const BEGINNING = new RegExp(`^(post|page)\\.(${Object.keys(FIRST_ACTIONS).join('|')})$`);

/** Returns the types of entries that can be the first of a post or a page. */
export const creationTypesOf = (context: 'post' | 'page'): string[] =>
  ['created', ...Object.keys(FIRST_ACTIONS)].map((action) => `${context}.${action}`);

/**
 * Completes the creations of posts. A child plugin logs a creation only for drafts. The log of any other post begins
 * with `published`, `scheduled` or `submitted`, which is converted to a creation.
 */
export async function convertFirstActionsToCreations(
  trx: Knex.Transaction,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const begun = rows.filter(({ type, object_key }) => object_key !== null && BEGINNING.test(type));
  if (begun.length === 0) return [...rows];
  const known = await postsWithEntries(trx, begun);
  return rows.map((row) => {
    const [context = '', action = ''] = row.type.split('.');
    if (row.object_key === null || !(action === 'created' || BEGINNING.test(row.type))) return row;
    const isFirst = !known.has(objectOf(row));
    known.add(objectOf(row));
    if (!isFirst || action === 'created') return row;
    return { ...row, type: `${context}.created`, new_values: JSON.stringify({ status: FIRST_ACTIONS[action] }) };
  });
}

function postsWithEntries(trx: Knex.Transaction, rows: readonly NewChangeRow[]): Promise<Set<string>> {
  const selections = (['post', 'page'] as const).flatMap((context) => {
    const ofContext = rows.filter(({ type }) => type.startsWith(`${context}.`));
    return selectBySite(ofContext, (ofSite) => ({ type: creationTypesOf(context), object_key: keysOf(ofSite) }));
  });
  return readObjects(trx, selections);
}
