import { SECOND } from '../../shared/clock.ts';
import type { ChangeRepository, NewChangeRow, StoredChildLogEntry } from './change-repository.ts';

type DuplicateCandidate = Pick<StoredChildLogEntry, 'source' | 'type' | 'object_name' | 'at'>;

const SHARED = /^(plugin|theme|wordpress)\./;
/** Maximum difference between the times of the same event in the two logs of a child plugin. */
const SAME_WITHIN = 60 * SECOND;

/**
 * Removes duplicates. Some events, for example a WordPress update, are in both logs of a child plugin. The entry of the
 * changes log is kept, because the actions log reports the old version as the new one.
 */
export async function dropDuplicateLogRows(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const shared = rows.filter(({ type }) => SHARED.test(type));
  if (shared.length === 0) return [...rows];
  const times = shared.map(({ at }) => at);
  const [first, last] = times.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0]);
  const types = [...new Set(shared.map(({ type }) => type))];
  const stored = await repository.childEntries(siteId, types, [first - SAME_WITHIN, last + SAME_WITHIN]);
  const isEcho = duplicateMatcher([...shared, ...stored].filter(({ source }) => source === 'child_changes'));
  await repository.delete(stored.filter(isEcho).map(({ id }) => id));
  return rows.filter((row) => !isEcho(row));
}

function duplicateMatcher(entries: readonly DuplicateCandidate[]): (entry: DuplicateCandidate) => boolean {
  const times = new Map<string, number[]>();
  const objectKeyOf = ({ type, object_name }: DuplicateCandidate): string => JSON.stringify([type, object_name]);
  for (const entry of entries)
    times.set(objectKeyOf(entry), [...(times.get(objectKeyOf(entry)) ?? []), Number(entry.at)]);
  return (entry) =>
    entry.source === 'child_actions' &&
    (times.get(objectKeyOf(entry)) ?? []).some((at) => Math.abs(at - Number(entry.at)) <= SAME_WITHIN);
}

/** Actions that can be the first entry of a post, and the status that the post then has. */
export const FIRST_ACTIONS: Readonly<Record<string, string>> = {
  published: 'publish',
  scheduled: 'future',
  submitted: 'pending',
};
export const BEGINNING = new RegExp(`^(post|page)\\.(${Object.keys(FIRST_ACTIONS).join('|')})$`);

/**
 * Completes the creations of posts. A child plugin logs a creation only for drafts. The log of any other post begins
 * with `published`, `scheduled` or `submitted`, which is converted to a creation.
 */
export async function convertFirstActionsToCreations(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const known = await postsWithEntries(repository, siteId, rows);
  if (known === null) return [...rows];
  return rows.map((row) => {
    const [context = '', action = ''] = row.type.split('.');
    if (row.object_key === null || !(action === 'created' || BEGINNING.test(row.type))) return row;
    const isFirst = !known.has(`${context} ${row.object_key}`);
    known.add(`${context} ${row.object_key}`);
    if (!isFirst || action === 'created') return row;
    return { ...row, type: `${context}.created`, new_values: JSON.stringify({ status: FIRST_ACTIONS[action] }) };
  });
}

async function postsWithEntries(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<Set<string> | null> {
  const known = new Set<string>();
  let isAsked = false;
  for (const context of ['post', 'page']) {
    const begun = rows.filter(({ type }) => type.startsWith(`${context}.`) && BEGINNING.test(type));
    const keys = begun.flatMap(({ object_key }) => object_key ?? []);
    if (keys.length === 0) continue;
    isAsked = true;
    const types = ['created', ...Object.keys(FIRST_ACTIONS)].map((action) => `${context}.${action}`);
    for (const key of await repository.knownKeys(siteId, types, keys)) known.add(`${context} ${key}`);
  }
  return isAsked ? known : null;
}
