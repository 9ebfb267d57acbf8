import {
  COMMENT_STATUSES,
  type ChildComment,
  type ChildLink,
  type CommentCalls,
  type CommentStatus,
} from '../../connector/child-site.ts';
import { latestLocalTime, earliestLocalTime } from './comment-date-filter.ts';

/** Number of comments in the first response. It is small, because the wanted comments are nearly always among them. */
const FIRST_PAGE = 100;
const PAGE = 2_000;
const MAX_PAGES = 20;

export interface FoundComments {
  comments: Map<number, ChildComment>;
  /** True if every comment that was not found is proven not to exist. */
  complete: boolean;
}

/**
 * Finds comments by ID. The child plugin can filter only by status, text and date (protocol 4.5). So the comments of
 * each status are read from the newest backwards, until all IDs are found or no comments are left. `like` contains the
 * comments from an earlier read and limits the search to the time between the oldest and the newest of them.
 */
export async function findComments(
  child: Pick<CommentCalls, 'comments'>,
  link: ChildLink,
  ids: readonly number[],
  like: readonly ChildComment[] = [],
): Promise<FoundComments> {
  const missing = new Set(ids);
  const result: FoundComments = { comments: new Map(), complete: false };
  const { after, before: end } = searchWindow(like);
  let before = end;
  let statuses: readonly CommentStatus[] = COMMENT_STATUSES;
  for (let page = 0; page < MAX_PAGES; page++) {
    const maximum = page === 0 ? FIRST_PAGE : PAGE;
    const comments = await child.comments(link, { statuses, maximum, after, before });
    for (const comment of comments) if (missing.delete(comment.id)) result.comments.set(comment.id, comment);
    const full = statuses.flatMap((status) => {
      const group = comments.filter((comment) => comment.status === status);
      return group.length < maximum ? [] : [{ status, oldest: oldestTimeOf(group) }];
    });
    if (missing.size === 0 || full.length === 0) return { ...result, complete: true };
    statuses = full.map(({ status }) => status);
    const oldest = Math.max(...full.map((group) => group.oldest));
    if (oldest === Infinity) return result;
    const next = latestLocalTime(oldest);
    // This page reached no older comments than the page before, so the date filter cannot be moved back any further.
    if (page > 0 && before !== undefined && next >= before) return result;
    before = before !== undefined && before < next ? before : next;
  }
  return result;
}

const oldestTimeOf = (comments: readonly ChildComment[]): number =>
  comments.reduce((oldest, { at }) => Math.min(oldest, at ?? oldest), Infinity);

function searchWindow(like: readonly ChildComment[]): { after: string | undefined; before: string | undefined } {
  const times = like.flatMap(({ at }) => at ?? []);
  if (times.length === 0 || times.length < like.length) return { after: undefined, before: undefined };
  return { after: earliestLocalTime(Math.min(...times)), before: latestLocalTime(Math.max(...times)) };
}
