import { SECOND } from '../../shared/clock.ts';
import type { ChangeRepository, NewChangeRow, StoredChange } from './change-repository.ts';

type LogEntry = Pick<StoredChange, 'source' | 'type' | 'object_name' | 'at'>;

/** Contexts that both logs of a child know. */
const SHARED = /^(plugin|theme|wordpress)\./;
/** How far apart the two logs may date the same thing. */
const SAME_WITHIN = 60 * SECOND;

/**
 * Without what both logs of a child tell: an update of WordPress, for one. The changes log is believed, because the
 * other one has the old version for the new.
 */
export async function withoutEchoes(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const shared = rows.filter(({ type }) => SHARED.test(type));
  if (shared.length === 0) return [...rows];
  const times = shared.map(({ at }) => at);
  const [first, last] = times.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [Infinity, 0]);
  const types = [...new Set(shared.map(({ type }) => type))];
  const stored = await repository.ofChild(siteId, types, [first - SAME_WITHIN, last + SAME_WITHIN]);
  const isEcho = echoOf([...shared, ...stored].filter(({ source }) => source === 'child_changes'));
  await repository.delete(stored.filter(isEcho).map(({ id }) => id));
  return rows.filter((row) => !isEcho(row));
}

function echoOf(entries: readonly LogEntry[]): (entry: LogEntry) => boolean {
  const times = new Map<string, number[]>();
  const keyOf = ({ type, object_name }: LogEntry): string => JSON.stringify([type, object_name]);
  for (const entry of entries) times.set(keyOf(entry), [...(times.get(keyOf(entry)) ?? []), Number(entry.at)]);
  return (entry) =>
    entry.source === 'child_actions' &&
    (times.get(keyOf(entry)) ?? []).some((at) => Math.abs(at - Number(entry.at)) <= SAME_WITHIN);
}

/** How a post may begin, and the status that it has then. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  published: 'publish',
  scheduled: 'future',
  submitted: 'pending',
};
const BEGINNING = new RegExp(`^(post|page)\\.(${Object.keys(BEGINNINGS).join('|')})$`);

/**
 * A child logs the creation of a draft alone. A post that was written and published at once begins with that, so that
 * the first that is known of a post is its creation.
 */
export async function withCreations(
  repository: ChangeRepository,
  siteId: number,
  rows: readonly NewChangeRow[],
): Promise<NewChangeRow[]> {
  const known = await beginningsOf(repository, siteId, rows);
  if (known === null) return [...rows];
  return rows.map((row) => {
    const [context = '', action = ''] = row.type.split('.');
    if (row.object_key === null || !(action === 'created' || BEGINNING.test(row.type))) return row;
    const isFirst = !known.has(`${context} ${row.object_key}`);
    known.add(`${context} ${row.object_key}`);
    if (!isFirst || action === 'created') return row;
    return { ...row, type: `${context}.created`, new_values: JSON.stringify({ status: BEGINNINGS[action] }) };
  });
}

/** Posts of which something is stored, of those that these tell of; null when they tell of none. */
async function beginningsOf(
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
    const types = ['created', ...Object.keys(BEGINNINGS)].map((action) => `${context}.${action}`);
    for (const key of await repository.keysOf(siteId, types, keys)) known.add(`${context} ${key}`);
  }
  return isAsked ? known : null;
}
