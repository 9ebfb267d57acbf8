import type { ChildComment, CommentStatus } from '../child-site.ts';
import { decodeHtmlEntities } from './html-entities.ts';
import {
  asObject,
  readCount,
  readField,
  readHttpUrl,
  readItems,
  readMultilineText,
  readNumber,
  readPlainText,
  readUnixSeconds,
} from './json-values.ts';

/** Maximum number of characters of a comment. The column in WordPress holds this number of bytes. */
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
  const items = Array.isArray(value) ? readItems(value, max) : undefined;
  return items ? items.flatMap((item) => readComment(item) ?? []) : null;
}

function readComment(value: unknown): ChildComment | null {
  const comment = asObject(value);
  const id = readNumber(readField(comment, 'id'));
  const childStatus = readField(comment, 'status');
  const status =
    typeof childStatus === 'string' && Object.hasOwn(STATUSES, childStatus) ? STATUSES[childStatus] : undefined;
  if (id === null || !Number.isSafeInteger(id) || id < 1 || status === undefined) return null;
  const at = readUnixSeconds(readField(comment, 'dts'));
  return {
    id,
    status,
    author: readPlainText(readField(comment, 'author'), NAME_MAX),
    // The child encodes the email address as HTML entities, differently in each response.
    authorEmail: readPlainText(readField(comment, 'author_email'), EMAIL_MAX) || null,
    authorUrl: readAuthorUrl(readField(comment, 'author_url')),
    content: readMultilineText(readField(comment, 'content'), CONTENT_MAX),
    postId: readCount(readField(comment, 'postId')),
    postTitle: readPlainText(readField(comment, 'postName'), TITLE_MAX),
    at: at === null ? null : Math.trunc(at) * 1000,
  };
}

const readAuthorUrl = (value: unknown): string | null =>
  typeof value === 'string' ? readHttpUrl(decodeHtmlEntities(value).replaceAll("'", '%27')) : null;
