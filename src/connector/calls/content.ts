import { DAY, toDate } from '../../shared/clock.ts';
import { ChildBadAnswerError } from '../../shared/child-call-errors.ts';
import { ConflictError } from '../../shared/errors.ts';
import {
  decodeContentActionSuccess,
  decodeContent,
  decodeContentEntries,
  decodeWrittenContent,
  EDIT_LOCK_META_KEY,
} from '../answers/content.ts';
import type {
  ChildLink,
  ContentCalls,
  ContentEntry,
  ContentFields,
  ContentQuery,
  ContentToWrite,
  WrittenContent,
} from '../child-site.ts';
import { EDIT_LOCK_SECONDS } from '../child-site.ts';
import { unexpectedAnswerError, type ChildError } from '../child-errors.ts';
import { base64, encodeBase64Json, replaceUnpairedSurrogates, type FormFields } from '../form-encoding.ts';
import { createActionSender, type ActionCall, type SignedCaller } from '../signed-call.ts';

export function createContentCalls(caller: SignedCaller): ContentCalls {
  const call = createActionSender(caller);
  const send = (link: ChildLink, functionName: string, fields: FormFields, options: Omit<ActionCall, 'functionName'>) =>
    call(link, { functionName, fields, ...options });

  const list = async (link: ChildLink, query: ContentQuery, more: FormFields = {}): Promise<ContentEntry[]> => {
    const functionName = query.type === 'page' ? 'get_all_pages' : 'get_all_posts';
    const answer = await send(link, functionName, { ...contentFilterFields(query), ...more }, { reads: true });
    return requireDecoded(decodeContentEntries(answer, query), false);
  };

  const act = async (link: ChildLink, fields: FormFields): Promise<boolean> =>
    requireDecoded(decodeContentActionSuccess(await send(link, 'post_action', fields, { reads: false })), true);

  const write = async (link: ChildLink, post: FormFields, content: ContentToWrite): Promise<WrittenContent> => {
    const fields = {
      new_post: encodeBase64Json({ ...post, ...wholePostFields(content) }),
      ...postExtraFields(content),
    };
    return requireDecoded(decodeWrittenContent(await send(link, 'newpost', fields, { reads: false })), true);
  };

  return {
    listContent: list,

    async contentEntry(link, id, type) {
      const tokens = { extract_tokens: encodeBase64Json(['[post.url]']), extract_post_type: 0 };
      const query = { type, statuses: ['any', 'trash'], maximum: 1 };
      const entries = await list(link, query, { postId: id, ...tokens });
      return entries.find((entry) => entry.id === id) ?? null;
    },

    async readContent(link, id) {
      // If the requested type is `post`, the child returns the true type, even of a page. If it is `page`, the child
      // calls everything a page.
      const fields = { action: 'get_edit', id, post_type: 'post' };
      const content = decodeContent(await send(link, 'post_action', fields, { reads: true }));
      return content === null ? null : requireDecoded(content ?? null, false);
    },

    async checkEditLock(link, id) {
      // The child first checks the edit lock of the post in `_mainwp_edit_post_id`. If no other user holds it, the
      // child then fails, because no post has the ID that is to be written.
      const fields = {
        new_post: encodeBase64Json({
          ID: Number.MAX_SAFE_INTEGER,
          post_type: '',
          post_content: '',
          post_status: 'draft',
        }),
        post_custom: encodeBase64Json({ _mainwp_edit_post_id: [String(id)] }),
      };
      const expected = ({ message }: ChildError): boolean => message === NOTHING_WRITTEN;
      await send(link, 'newpost', fields, { reads: true, isExpected: expected }).catch(throwIfLocked);
    },

    setEditLock: (link, id, lock) =>
      act(link, metaFields(id, [[EDIT_LOCK_META_KEY, lock ? `${lock.at}:${lock.userId}` : '']])),

    createContent: (link, content) => write(link, {}, content),

    async rewriteContent(link, id, content, author) {
      return write(link, { ID: id, ...(author !== null && { custom_post_author: author }) }, content).catch(
        throwIfLocked,
      );
    },

    updateContent: (link, id, fields, resetCategories = false) =>
      act(link, {
        action: 'update',
        id,
        post_data: {
          ID: id,
          ...postColumnFields(fields),
          // Without `edit_date`, WordPress sets the current date for a draft that never had a date, whatever date is
          // sent.
          ...(fields.date !== undefined && { edit_date: 1 }),
          ...(fields.tags !== undefined && { tags_input: escapeBackslashes(fields.tags.join(',')) }),
          ...(resetCategories && { post_category: [0] }),
        },
      }),

    updateCustomFields: (link, id, values) => act(link, metaFields(id, [...values])),

    contentAction: (link, id, action) => act(link, { action, id }),
  };
}

function requireDecoded<T>(decoded: T | null, changing: boolean): T {
  if (decoded === null) throw unexpectedAnswerError(changing);
  return decoded;
}

const metaFields = (id: number, values: readonly (readonly [key: string, value: string])[]): FormFields => ({
  action: 'update_meta',
  id,
  values: encodeBase64Json({
    meta_key: values.map(([key]) => escapeBackslashes(key)),
    meta_value: values.map(([, value]) => escapeBackslashes(value)),
    check_prev: values.map(() => 0),
  }),
});

const NOTHING_WRITTEN = 'Empty post id';
/**
 * Matches errors that are not about the edit lock. The child never translates these, but it translates the error about
 * the lock, which also contains the editor's name. So every other error without a code counts as the error about the
 * lock (protocol 4.4).
 */
const OTHER_REFUSALS = /^(Empty post id|Undefined error|MainWP_Child fatal error)/;

function throwIfLocked(error: unknown): never {
  if (!(error instanceof ChildBadAnswerError)) throw error;
  const { child_message: sentence, child_code: code } = error.data;
  if (typeof sentence !== 'string' || code !== undefined || OTHER_REFUSALS.test(sentence)) throw error;
  const data = { child_message: sentence, retry_after_seconds: EDIT_LOCK_SECONDS };
  throw new ConflictError('svc_post_locked', 'Another user is editing this on the site. Try again later.', data, {
    cause: error,
  });
}

function contentFilterFields({ type, statuses, maximum, search, changed }: ContentQuery): FormFields {
  return {
    ...(type !== 'page' && { post_type: type }),
    status: statuses.join(','),
    maxRecords: maximum,
    ...(search && { keyword: search.text, search_on: search.where === 'both' ? '' : search.where }),
    // The child excludes both ends of the period.
    ...(changed && {
      dtsstart: `${dayAfter(changed.from, -1)} 23:59:59`,
      dtsstop: `${dayAfter(changed.to, 1)} 00:00:00`,
    }),
  };
}

const dayAfter = (date: string, days: number): string => toDate(Date.parse(date) + days * DAY);

/** WordPress takes one level of backslashes off everything that it stores (protocol 1.4). */
const escapeBackslashes = (text: string): string => text.replaceAll('\\', '\\\\');

const NAMES = {
  title: 'post_title',
  content: 'post_content',
  excerpt: 'post_excerpt',
  status: 'post_status',
  name: 'post_name',
  password: 'post_password',
  commentStatus: 'comment_status',
  pingStatus: 'ping_status',
  date: 'post_date',
  dateGmt: 'post_date_gmt',
} as const satisfies Record<keyof Omit<ContentFields, 'tags'>, string>;

function postColumnFields(fields: ContentFields): FormFields {
  const pairs = Object.entries(NAMES).map(([field, name]) => [name, fields[field as keyof typeof NAMES]] as const);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, escapeBackslashes(value)]])),
  );
}

/** Encodes a list of tag or category names. The child decodes them once more than other fields. */
const encodedNames = (names: readonly string[]): string =>
  encodeURIComponent(replaceUnpairedSurrogates(escapeBackslashes(names.join(','))));

function wholePostFields(content: ContentToWrite): FormFields {
  const { type, tags } = content;
  return { ...postColumnFields(content), post_type: type, ...(tags?.length && { post_tags: encodedNames(tags) }) };
}

/** Returns the fields that accompany a post. Custom fields are always sent, because some children fail without them. */
function postExtraFields(content: ContentToWrite): FormFields {
  const { categories, featuredImage, featuredImageData, gallery, sticky, customFields = [] } = content;
  const custom = [...customFields].map(([key, value]) => [escapeBackslashes(key), [escapeBackslashes(value)]] as const);
  return {
    post_custom: encodeBase64Json({ ...Object.fromEntries(custom), ...(sticky && { _sticky: [base64('sticky')] }) }),
    ...(categories?.length && { post_category: base64(encodedNames(categories)) }),
    ...(featuredImage && { post_featured_image: base64(featuredImage) }),
    ...(featuredImage && featuredImageData && { featured_image_data: encodeBase64Json(featuredImageData) }),
    ...(gallery && { post_gallery_images: encodeBase64Json(gallery) }),
  };
}
