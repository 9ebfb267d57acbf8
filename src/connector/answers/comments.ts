import type { ChildComment, CommentStatus } from '../child-site.ts';
import { decodeEntities } from './entities.ts';
import { asObject, count, field, httpUrl, itemsOf, longText, number, plainText, seconds } from './values.ts';

/** Maximum length of a comment: the size of the column in WordPress. */
const CONTENT_MAX = 65_535;
const NAME_MAX = 255;
const TITLE_MAX = 1_000;
const EMAIL_MAX = 254;

const STATUSES: Record<string, CommentStatus> = {
  approved: 'approved',
  unapproved: 'pending',
  spam: 'spam',
  trash: 'trash',
};

/** Decodes `get_all_comments` (protocol 4.5). Comments without an ID or with an unknown status are left out. */
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
    // The child encodes the address as entities, differently in each response.
    authorEmail: plainText(field(comment, 'author_email'), EMAIL_MAX) || null,
    authorUrl: linkOf(field(comment, 'author_url')),
    content: longText(field(comment, 'content'), CONTENT_MAX),
    postId: count(field(comment, 'postId')),
    postTitle: plainText(field(comment, 'postName'), TITLE_MAX),
    at: at === null ? null : Math.trunc(at) * 1000,
  };
}

const linkOf = (value: unknown): string | null =>
  typeof value === 'string' ? httpUrl(decodeEntities(value).replaceAll("'", '%27')) : null;
