import type { Content, ContentEntry, ContentLock, ContentQuery, WrittenContent, GalleryImage } from '../child-site.ts';
import { readEmbedded } from '../framing.ts';
import {
  asObject,
  count,
  entriesOf,
  exactText,
  field,
  flag,
  httpUrl,
  itemsOf,
  number,
  plainText,
  seconds,
  text,
  textOrNull,
  type Json,
} from './values.ts';

const SLUG_MAX = 20;
const TITLE_MAX = 1_000;
const NAME_MAX = 200;
const EMAIL_MAX = 254;
const MAX_NAMES = 200;
const MAX_FIELDS = 1_000;
const MAX_VALUES = 100;
const MAX_IMAGES = 500;

/**
 * Decodes a list of posts. The child applies the maximum to each status (protocol 4.4), so this returns the most
 * recently changed entries of all statuses, newest first.
 */
export function decodeEntries(value: unknown, { statuses, maximum }: ContentQuery): ContentEntry[] | null {
  if (!Array.isArray(value)) return null;
  const entries = (itemsOf(value, maximum * statuses.length) ?? []).flatMap((item) => entryOf(asObject(item)) ?? []);
  entries.sort((left, right) => (right.modifiedAt ?? 0) - (left.modifiedAt ?? 0));
  return entries.slice(0, maximum);
}

function entryOf(item: Json | null): ContentEntry | null {
  const id = idOf(field(item, 'id'));
  if (id === null) return null;
  const modified = seconds(field(item, 'dts'));
  const author = text(field(item, 'author'), NAME_MAX);
  const email = text(field(item, 'authorEmail'), EMAIL_MAX);
  // For a deleted author the child sends "removed" as name and as address. A real author may have that name.
  const gone = author === '' || (author === 'removed' && !email.includes('@'));
  return {
    id,
    type: text(field(item, 'post_type'), SLUG_MAX),
    status: text(field(item, 'status'), SLUG_MAX),
    title: text(field(item, 'title'), TITLE_MAX),
    commentCount: count(field(item, 'comment_count')),
    author: gone ? null : author,
    authorEmail: gone || email === '' ? null : email,
    categories: namesOf(field(item, 'categories')),
    tags: namesOf(field(item, 'tags')),
    modifiedAt: modified === null ? null : modified * 1000,
    link: httpUrl(field(item, '[post.url]')),
  };
}

const idOf = (value: unknown): number | null => {
  const id = number(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : null;
};

const namesOf = (value: unknown): string[] =>
  exactText(value)
    .split(',', MAX_NAMES)
    .map((name) => plainText(name, NAME_MAX))
    .filter((name) => name !== '');

/** Decodes `get_edit`. Returns null if there is no such post, and undefined if the response is invalid. */
export function decodeContent(value: unknown): Content | null | undefined {
  const answer = asObject(value);
  const whole = field(answer, 'my_post');
  if (whole === false) return null;
  const parts = asObject(whole);
  const post = asObject(embedded(parts, 'new_post'));
  const id = idOf(field(post, 'edit_id'));
  if (field(answer, 'status') !== 'SUCCESS' || id === null) return undefined;
  const custom = new Map(
    (entriesOf(embedded(parts, 'post_custom'), MAX_FIELDS) ?? []).map(([key, values]) => [
      key.slice(0, 255),
      itemsOf(values, MAX_VALUES) ?? [],
    ]),
  );
  const image = embeddedText(parts, 'post_featured_image');
  return {
    id,
    type: text(field(post, 'post_type'), SLUG_MAX),
    status: text(field(post, 'post_status'), SLUG_MAX),
    title: exactText(field(post, 'post_title')),
    content: exactText(field(post, 'post_content')),
    excerpt: exactText(field(post, 'post_excerpt')),
    name: exactText(field(post, 'post_name')),
    password: exactText(field(post, 'post_password')),
    date: dateOf(field(post, 'post_date')),
    dateGmt: dateOf(field(post, 'post_date_gmt')),
    commentStatus: text(field(post, 'comment_status'), SLUG_MAX),
    pingStatus: text(field(post, 'ping_status'), SLUG_MAX),
    sticky: flag(field(post, 'is_sticky')),
    categories: namesOf(embeddedText(parts, 'post_category')),
    tags: namesOf(field(post, 'post_tags')),
    featuredImage: httpUrl(image),
    gallery: (itemsOf(embedded(parts, 'post_gallery_images'), MAX_IMAGES) ?? []).flatMap(
      (item) => imageOf(asObject(item)) ?? [],
    ),
    lock: lockOf(custom.get(EDIT_LOCK)?.[0]),
    customFields: new Map([...custom].filter(([key]) => key !== EDIT_LOCK)),
  };
}

/** Custom field in which WordPress stores the editor of a post: `<seconds>:<user>`. */
export const EDIT_LOCK = '_edit_lock';

function lockOf(mark: unknown): ContentLock | null {
  const [, at, user] = /^(\d{1,11}):(\d{1,15})$/.exec(exactText(mark)) ?? [];
  const userId = idOf(user);
  return userId === null || at === undefined ? null : { userId, at: Number(at) };
}

function embedded(parts: Json | null, name: string): unknown {
  const value = field(parts, name);
  return typeof value === 'string' ? readEmbedded(value) : undefined;
}

const embeddedText = (parts: Json | null, name: string): string =>
  Buffer.from(exactText(field(parts, name)), 'base64').toString('utf8');

/** Returns a date, or null for a missing one, which WordPress stores as zeros. */
function dateOf(value: unknown): string | null {
  const date = text(value, 19);
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date) && !date.startsWith('0000') ? date : null;
}

function imageOf(item: Json | null): GalleryImage | null {
  const id = idOf(field(item, 'id'));
  const src = httpUrl(field(item, 'src'));
  if (id === null || src === null) return null;
  const [title, alt, caption, description] = ['title', 'alt', 'caption', 'description'].map((name) =>
    exactText(field(item, name)),
  ) as [string, string, string, string];
  return { id, src, title, alt, caption, description };
}

export function decodeWrittenContent(value: unknown): WrittenContent | null {
  const answer = asObject(value);
  const id = idOf(field(answer, 'added_id'));
  if (field(answer, 'added') !== true || id === null) return null;
  const data = asObject(field(asObject(field(answer, 'other_data')), 'new_post_data'));
  return { id, status: textOrNull(field(data, 'new_status'), SLUG_MAX), link: httpUrl(field(answer, 'link')) };
}

/**
 * True if `post_action` found its post; null if the response is invalid. For a missing post the child reports success
 * with empty data. Older child plugins send no data, whether they found the post or not.
 */
export function decodeActionResult(value: unknown): boolean | null {
  const answer = asObject(value);
  const status = field(answer, 'status');
  if (status === 'FAIL') return false;
  if (status !== 'SUCCESS') return null;
  const data = field(asObject(field(answer, 'other_data')), 'post_action_data');
  return !(Array.isArray(data) && data.length === 0);
}
