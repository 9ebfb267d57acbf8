import type { ChildComment, CommentStatus } from '../child-site.ts';
import { decodeEntities } from './entities.ts';
import { asObject, count, field, httpUrl, itemsOf, longText, number, plainText, seconds } from './values.ts';

/** The column's size; a longer text was not written by WordPress. */
const CONTENT_MAX = 65_535;
const NAME_MAX = 255;
const TITLE_MAX = 1_000;
/** As an e-mail address can be at most. */
const EMAIL_MAX = 254;

const STATUSES: Record<string, CommentStatus> = {
  approved: 'approved',
  unapproved: 'pending',
  spam: 'spam',
  trash: 'trash',
};

/**
 * `get_all_comments` (protocol 4.5), at most `max`; what has no ID or no known status is left out. Null when it is no
 * list.
 */
export function decodeComments(value: unknown, max: number): ChildComment[] | null {
  const items = Array.isArray(value) ? itemsOf(value, max) : undefined;
  return items ? items.flatMap((item) => commentOf(item) ?? []) : null;
}

function commentOf(value: unknown): ChildComment | null {
  const comment = asObject(value);
  const id = number(field(comment, 'id'));
  const childStatus = field(comment, 'status');
  const status =
    typeof childStatus === 'string' && Object.hasOwn(STATUSES, childStatus) ? STATUSES[childStatus] : undefined;
  if (id === null || !Number.isSafeInteger(id) || id < 1 || status === undefined) return null;
  const at = seconds(field(comment, 'dts'));
  return {
    id,
    status,
    author: plainText(field(comment, 'author'), NAME_MAX),
    // The child writes it in entities, other ones each time.
    authorEmail: plainText(field(comment, 'author_email'), EMAIL_MAX) || null,
    authorUrl: linkOf(field(comment, 'author_url')),
    content: longText(field(comment, 'content'), CONTENT_MAX),
    postId: count(field(comment, 'postId')),
    postTitle: plainText(field(comment, 'postName'), TITLE_MAX),
    at: at === null ? null : Math.trunc(at) * 1000,
  };
}

/** It comes as it would stand in a page: in entities. An apostrophe is then written as addresses have it. */
const linkOf = (value: unknown): string | null =>
  typeof value === 'string' ? httpUrl(decodeEntities(value).replaceAll("'", '%27')) : null;
