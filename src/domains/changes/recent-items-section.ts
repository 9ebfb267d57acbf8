import type { Knex } from 'knex';
import type { RecentItem } from '../../connector/child-site.ts';
import { MINUTE } from '../../shared/clock.ts';
import type { SiteStatePatch, SyncSection } from '../sites/index.ts';
import { insertUnknownChanges, toChangedObjectColumns, type NewChangeRow } from './change-repository.ts';
import { listedKeyOf, ListedCreationRepository, type RecentMarks } from './listed-creation-repository.ts';
import { keysOf, objectOf, readObjects, selectBySite } from './site-changes-read-model.ts';

type RecentKind = RecentItem['kind'];
type Sequence = 'comment' | 'post';

interface RecentItems {
  kinds: readonly RecentKind[];
  items: RecentItem[];
}

/**
 * Largest difference between an ID and the highest ID of the sync before. A larger ID belongs to a site that was moved
 * to another database, or is wrong.
 */
const MAX_STEP = 1_000_000;
/** Maximum time between reading and storing the lists, plus the difference between the clocks of site and service. */
const READ_WITHIN = 10 * MINUTE;
const LOGGED_CREATIONS: Readonly<Record<RecentKind, readonly string[]>> = {
  comment: ['comment.created', 'comment.replied'],
  post: ['post.created'],
  page: ['page.created'],
};
const COLUMNS = { comment: 'last_comment_id', post: 'last_post_id' } as const;

/**
 * Stores the creations that no log of the site has: comments of visitors, and posts and pages that a program inserted
 * (protocol 4.9). Such a creation is an item of the recent lists whose ID is higher than all IDs of earlier syncs,
 * unless the change log has it. The first sync only stores the highest IDs, because its items may be old.
 */
export const recentItemsSection = (keptSince: () => number): SyncSection<RecentItems> => ({
  name: 'recent_items',
  subjects: [],
  read: ({ recent }) => recent && { kinds: recent.kinds, items: recent.items },
  async write(trx, values) {
    const marksOf = await new ListedCreationRepository(trx).marks(values.map(({ site }) => site.id));
    const listed = values.flatMap(({ site, value, now }) => {
      const marks = marksOf(site.id);
      const earliest = Math.max(keptSince(), (marks.lastSyncAt ?? 0) - READ_WITHIN);
      return value.items.filter(isNewIn(marks)).map((item) => toRow(site.id, item, { earliest, latest: now }));
    });
    const rows = await withoutLogged(trx, listed);
    await insertUnknownChanges(trx, rows);
    return new Map(values.map(({ site, value }) => [site.id, nextMarks(marksOf(site.id), value.kinds, value.items)]));
  },
});

const sequenceOf = (kind: RecentKind): Sequence => (kind === 'comment' ? 'comment' : 'post');

const isNewIn =
  (marks: RecentMarks) =>
  ({ kind, id }: RecentItem): boolean => {
    const mark = marks[sequenceOf(kind)];
    return mark !== null && id > mark && id <= mark + MAX_STEP;
  };

async function withoutLogged(trx: Knex.Transaction, rows: readonly NewChangeRow[]): Promise<NewChangeRow[]> {
  if (rows.length === 0) return [];
  const selections = Object.values(LOGGED_CREATIONS).flatMap((types) => {
    const ofKind = rows.filter(({ type }) => types.includes(type));
    return selectBySite(ofKind, (ofSite) => ({ type: types, object_key: keysOf(ofSite) }));
  });
  const logged = await readObjects(trx, selections);
  return rows.filter((row) => !logged.has(objectOf(row)));
}

/**
 * The time of an item is not reliable: the site gives only the last modification of a post, and lets authors choose the
 * date of a comment. So the time is limited to the span between the last sync and this one, in which the item was
 * created.
 */
function toRow(
  siteId: number,
  { kind, id, title, status, at }: RecentItem,
  { earliest, latest }: { earliest: number; latest: number },
): NewChangeRow {
  const what = kind === 'comment' ? 'Comment on' : kind === 'post' ? 'Post' : 'Page';
  return {
    site_id: siteId,
    source: 'child_lists',
    external_id: listedKeyOf(kind, id),
    type: `${kind}.created`,
    description: title === '' ? `${kind === 'comment' ? 'Comment' : what} created` : `${what} "${title}" created`,
    actor: '',
    at: Math.min(latest, Math.max(earliest, at ?? latest)),
    ...toChangedObjectColumns({ name: title || null, key: id, after: { status } }),
  };
}

/**
 * The stored highest ID never becomes lower. If the newest items were deleted, older items would otherwise look new.
 */
function nextMarks(marks: RecentMarks, kinds: readonly RecentKind[], items: readonly RecentItem[]): SiteStatePatch {
  const patch: SiteStatePatch = {};
  for (const kind of kinds) {
    const sequence = sequenceOf(kind);
    const ids = items.filter((item) => sequenceOf(item.kind) === sequence).map(({ id }) => id);
    patch[COLUMNS[sequence]] = Math.max(marks[sequence] ?? 0, ...ids);
  }
  return patch;
}
