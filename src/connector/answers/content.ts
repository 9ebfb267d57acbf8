import type { Content, ContentEntry, ContentLock, ContentQuery, WrittenContent, GalleryImage } from '../child-site.ts';
import { decodeEmbeddedJson } from '../response-frame.ts';
import {
  asObject,
  readCount,
  readEntries,
  readExactText,
  readField,
  readFlag,
  readHttpUrl,
  readItems,
  readNumber,
  readPlainText,
  readUnixSeconds,
  readText,
  readTextOrNull,
  type JsonRecord,
} from './json-values.ts';

const SLUG_MAX = 20;
const TITLE_MAX = 1_000;
const NAME_MAX = 200;
const EMAIL_MAX = 254;
const MAX_NAMES = 200;
const MAX_FIELDS = 1_000;
const MAX_VALUES = 100;
const MAX_IMAGES = 500;

/**
 * Decodes a list of posts. The child sends up to `maximum` entries of each status (protocol 4.4). Of all of these,
 * returns the `maximum` entries that were changed last, newest first.
 */
export function decodeContentEntries(value: unknown, { statuses, maximum }: ContentQuery): ContentEntry[] | null {
  if (!Array.isArray(value)) return null;
  const entries = (readItems(value, maximum * statuses.length) ?? []).flatMap(
    (item) => readContentEntry(asObject(item)) ?? [],
  );
  entries.sort((left, right) => (right.modifiedAt ?? 0) - (left.modifiedAt ?? 0));
  return entries.slice(0, maximum);
}

function readContentEntry(item: JsonRecord | null): ContentEntry | null {
  const id = readContentId(readField(item, 'id'));
  if (id === null) return null;
  const modified = readUnixSeconds(readField(item, 'dts'));
  const author = readText(readField(item, 'author'), NAME_MAX);
  const email = readText(readField(item, 'authorEmail'), EMAIL_MAX);
  // For a deleted author the child sends "removed" as name and as address. A real author may have that name.
  const gone = author === '' || (author === 'removed' && !email.includes('@'));
  return {
    id,
    type: readText(readField(item, 'post_type'), SLUG_MAX),
    status: readText(readField(item, 'status'), SLUG_MAX),
    title: readText(readField(item, 'title'), TITLE_MAX),
    commentCount: readCount(readField(item, 'comment_count')),
    author: gone ? null : author,
    authorEmail: gone || email === '' ? null : email,
    categories: readTermNames(readField(item, 'categories')),
    tags: readTermNames(readField(item, 'tags')),
    modifiedAt: modified === null ? null : modified * 1000,
    link: readHttpUrl(readField(item, '[post.url]')),
  };
}

const readContentId = (value: unknown): number | null => {
  const id = readNumber(value);
  return id !== null && Number.isSafeInteger(id) && id > 0 ? id : null;
};

const readTermNames = (value: unknown): string[] =>
  readExactText(value)
    .split(',', MAX_NAMES)
    .map((name) => readPlainText(name, NAME_MAX))
    .filter((name) => name !== '');

/** Decodes `get_edit`. Returns null if there is no such post, and undefined if the response is invalid. */
export function decodeContent(value: unknown): Content | null | undefined {
  const answer = asObject(value);
  const whole = readField(answer, 'my_post');
  if (whole === false) return null;
  const parts = asObject(whole);
  const post = asObject(decodeEmbeddedPart(parts, 'new_post'));
  const id = readContentId(readField(post, 'edit_id'));
  if (readField(answer, 'status') !== 'SUCCESS' || id === null) return undefined;
  const custom = new Map(
    (readEntries(decodeEmbeddedPart(parts, 'post_custom'), MAX_FIELDS) ?? []).map(([key, values]) => [
      key.slice(0, 255),
      readItems(values, MAX_VALUES) ?? [],
    ]),
  );
  const image = embeddedText(parts, 'post_featured_image');
  return {
    id,
    type: readText(readField(post, 'post_type'), SLUG_MAX),
    status: readText(readField(post, 'post_status'), SLUG_MAX),
    title: readExactText(readField(post, 'post_title')),
    content: readExactText(readField(post, 'post_content')),
    excerpt: readExactText(readField(post, 'post_excerpt')),
    name: readExactText(readField(post, 'post_name')),
    password: readExactText(readField(post, 'post_password')),
    date: readDate(readField(post, 'post_date')),
    dateGmt: readDate(readField(post, 'post_date_gmt')),
    commentStatus: readText(readField(post, 'comment_status'), SLUG_MAX),
    pingStatus: readText(readField(post, 'ping_status'), SLUG_MAX),
    sticky: readFlag(readField(post, 'is_sticky')),
    categories: readTermNames(embeddedText(parts, 'post_category')),
    tags: readTermNames(readField(post, 'post_tags')),
    featuredImage: readHttpUrl(image),
    gallery: (readItems(decodeEmbeddedPart(parts, 'post_gallery_images'), MAX_IMAGES) ?? []).flatMap(
      (item) => readGalleryImage(asObject(item)) ?? [],
    ),
    lock: decodeEditLock(custom.get(EDIT_LOCK_META_KEY)?.[0]),
    customFields: new Map([...custom].filter(([key]) => key !== EDIT_LOCK_META_KEY)),
  };
}

/** Custom field in which WordPress stores who last edited a post, and when: `<seconds since 1970>:<user ID>`. */
export const EDIT_LOCK_META_KEY = '_edit_lock';

function decodeEditLock(mark: unknown): ContentLock | null {
  const [, at, user] = /^(\d{1,11}):(\d{1,15})$/.exec(readExactText(mark)) ?? [];
  const userId = readContentId(user);
  return userId === null || at === undefined ? null : { userId, at: Number(at) };
}

function decodeEmbeddedPart(parts: JsonRecord | null, name: string): unknown {
  const value = readField(parts, name);
  return typeof value === 'string' ? decodeEmbeddedJson(value) : undefined;
}

const embeddedText = (parts: JsonRecord | null, name: string): string =>
  Buffer.from(readExactText(readField(parts, name)), 'base64').toString('utf8');

/** Returns null for a missing date, which WordPress stores as zeros. */
function readDate(value: unknown): string | null {
  const date = readText(value, 19);
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date) && !date.startsWith('0000') ? date : null;
}

function readGalleryImage(item: JsonRecord | null): GalleryImage | null {
  const id = readContentId(readField(item, 'id'));
  const src = readHttpUrl(readField(item, 'src'));
  if (id === null || src === null) return null;
  const [title, alt, caption, description] = ['title', 'alt', 'caption', 'description'].map((name) =>
    readExactText(readField(item, name)),
  ) as [string, string, string, string];
  return { id, src, title, alt, caption, description };
}

export function decodeWrittenContent(value: unknown): WrittenContent | null {
  const answer = asObject(value);
  const id = readContentId(readField(answer, 'added_id'));
  if (readField(answer, 'added') !== true || id === null) return null;
  const data = asObject(readField(asObject(readField(answer, 'other_data')), 'new_post_data'));
  return {
    id,
    status: readTextOrNull(readField(data, 'new_status'), SLUG_MAX),
    link: readHttpUrl(readField(answer, 'link')),
  };
}

/**
 * True if `post_action` found its post; null if the response is invalid. For a missing post the child reports success
 * with empty data. Older child plugins never send data, so their success always gives true.
 */
export function decodeContentActionSuccess(value: unknown): boolean | null {
  const answer = asObject(value);
  const status = readField(answer, 'status');
  if (status === 'FAIL') return false;
  if (status !== 'SUCCESS') return null;
  const data = readField(asObject(readField(answer, 'other_data')), 'post_action_data');
  return !(Array.isArray(data) && data.length === 0);
}
