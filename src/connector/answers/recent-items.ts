import type { PartialList, RecentItem } from '../child-site.ts';
import { MAX_RECENT_COMMENTS, MAX_RECENT_POSTS, RECENT_POST_STATUSES } from '../recent-lists.ts';
import { asObject, readField, readItems, readNumber, readPlainText, readText, readUnixSeconds } from './json-values.ts';
import type { JsonRecord } from './json-values.ts';

type RecentKind = RecentItem['kind'];

const TITLE_MAX = 255;
const STATUS_MAX = 20;
const MAX_POSTS = MAX_RECENT_POSTS * RECENT_POST_STATUSES;
const LISTS = [
  { kind: 'comment', field: 'recent_comments', title: 'postName', max: MAX_RECENT_COMMENTS },
  { kind: 'post', field: 'recent_posts', title: 'title', max: MAX_POSTS },
  { kind: 'page', field: 'recent_pages', title: 'title', max: MAX_POSTS },
] as const;
const COMMENT_STATUSES: Readonly<Record<string, string>> = { approved: 'approved', unapproved: 'pending' };

/**
 * Decodes the lists of recent comments, posts and pages (protocol 4.4 and 4.5). Returns undefined if the child sent
 * none of them. Names, addresses and texts of visitors are not read.
 */
export function decodeRecentItems(stats: JsonRecord): PartialList<RecentKind, RecentItem> | undefined {
  const kinds: RecentKind[] = [];
  const items: RecentItem[] = [];
  for (const { kind, field, title, max } of LISTS) {
    const entries = readItems(readField(stats, field), max);
    if (!entries) continue;
    kinds.push(kind);
    items.push(...entries.flatMap((entry) => readRecentItem(asObject(entry), kind, title) ?? []));
  }
  return kinds.length === 0 ? undefined : { kinds, items };
}

function readRecentItem(item: JsonRecord | null, kind: RecentKind, title: string): RecentItem | null {
  const id = readNumber(readField(item, 'id'));
  const sentStatus = readText(readField(item, 'status'), STATUS_MAX);
  const status = kind === 'comment' ? (ownStatus(sentStatus) ?? '') : sentStatus;
  const isOfKind = kind === 'comment' || readField(item, 'post_type') === kind;
  if (id === null || !Number.isSafeInteger(id) || id < 1 || status === '' || !isOfKind) return null;
  const seconds = readUnixSeconds(readField(item, 'dts'));
  return {
    kind,
    id,
    title: readPlainText(readField(item, title), TITLE_MAX),
    status,
    at: seconds === null ? null : Math.trunc(seconds) * 1000,
  };
}

const ownStatus = (status: string): string | undefined =>
  Object.hasOwn(COMMENT_STATUSES, status) ? COMMENT_STATUSES[status] : undefined;
