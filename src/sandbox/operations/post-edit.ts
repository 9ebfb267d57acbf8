import { parseBase64Record, hasField, listField, textField, stripSlashes } from '../protocol/form.ts';
import { phpJson, phpMap } from '../protocol/frame.ts';
import { frameReply, FATAL, type Reply } from '../protocol/reply.ts';
import { newPost, slugOf } from '../state/generate-content.ts';
import type { Post, SiteState } from '../state/site-state.ts';
import { unixSecondsOf, toSqlDate, type Call } from './call.ts';
import { applyToPost, splitNames, setDates } from './post-update.ts';
import { clearLock, otherEditor, takeLock } from './post-lock.ts';
import { linkOf, postData, reportPost } from './post-views.ts';
import { filterText } from './text-filter.ts';
import { findUser } from '../state/connection.ts';

/** This file simulates reading a post for an editor and saving it (protocol 4.4). All payloads are base64. */

const base64 = (value: string): string => Buffer.from(value, 'utf8').toString('base64');

/**
 * Returns a post for an editor and takes over its edit lock. The response contains the metadata from before the
 * takeover.
 */
export function editablePost(call: Call, post: Post): Record<string, string> {
  const before = { ...post.meta };
  takeLock(call, post);
  return encodePost(call, { ...post, meta: before });
}

function encodePost({ fields, siteUrl }: Call, post: Post): Record<string, string> {
  const asPost = textField(fields, 'post_type') === 'post';
  const uploads = `${siteUrl}/wp-content/uploads`;
  const whole = {
    edit_id: String(post.id),
    ...(asPost ? { is_sticky: post.sticky ? 1 : 0 } : {}),
    post_title: post.title,
    post_content: post.content,
    post_status: post.status,
    post_date: toSqlDate(post.date),
    post_date_gmt: post.dated ? toSqlDate(post.date) : '0000-00-00 00:00:00',
    ...(asPost ? { post_tags: post.tags.join(',') } : {}),
    post_name: post.name,
    post_excerpt: post.excerpt,
    comment_status: post.commentStatus,
    ping_status: post.pingStatus,
    post_type: asPost ? post.type : 'page',
    post_password: post.password,
  };
  const directory = {
    path: '/srv/uploads',
    url: uploads,
    subdir: '',
    basedir: '/srv/uploads',
    baseurl: uploads,
    error: false,
  };
  return {
    new_post: base64(phpJson(whole)),
    post_custom: base64(phpJson(phpMap(Object.entries(post.meta)))),
    ...(asPost ? { post_category: base64(post.categories.join(',')) } : {}),
    post_featured_image: base64(post.featuredImage === '' ? '0' : post.featuredImage),
    post_gallery_images: base64('[]'),
    child_upload_dir: base64(phpJson(directory)),
  };
}

export function newPostFunction(call: Call): Reply {
  const { state, fields } = call;
  const record = parseBase64Record(textField(fields, 'new_post'));
  if (Object.keys(record).length === 0) return FATAL;
  const custom = parseBase64Record(textField(fields, 'post_custom'));
  const edited = listField(custom, '_mainwp_edit_post_id')[0] ?? record['ID'];
  const locked = edited === undefined ? undefined : state.posts.get(Number(edited));
  const editor = locked && otherEditor(call, locked);
  if (editor) {
    return frameReply({ error: `This content is currently locked. ${editor.displayName} is currently editing.` });
  }
  // The post from `_mainwp_edit_post_id` is written only if its type matches. Otherwise, the payload's `ID` is used.
  const fits = locked !== undefined && locked.type === (record['post_type'] ?? 'post');
  const before = edited === undefined || fits ? locked : state.posts.get(Number(record['ID']));
  if (edited !== undefined && before === undefined) return frameReply({ error: 'Empty post id' });
  const oldStatus = before?.status ?? '';
  const post = before ?? createDraftPost(call);
  if (isFalseSuccess(call, before)) {
    if (before === undefined) state.posts.delete(post.id);
  } else {
    writePost(call, post, record, before === undefined);
    writeMeta(post, custom);
    writeTerms(state, post, record, textField(fields, 'post_category'));
    // An edit without a featured image removes the existing one.
    post.featuredImage = fetchFeaturedImage(call);
    if (before !== undefined) clearLock(post);
    reportPost(call, post, before === undefined ? 'created' : 'updated');
  }
  return frameReply({
    added: true,
    added_id: post.id,
    link: linkOf(post, call.siteUrl),
    other_data: {
      new_post_data: { post_id: post.id, ...postData(post, oldStatus), is_editing: before === undefined ? 0 : 1 },
    },
  });
}

/**
 * True if a test has chosen that a change of `post` is reported as done although nothing changes. `post` is undefined
 * for the creation of a post.
 */
export const isFalseSuccess = ({ defects }: Call, post: Post | undefined): boolean =>
  defects.falseSuccesses.has(post ? `post ${post.id}` : 'new post');

function createDraftPost(call: Call): Post {
  const { state } = call;
  const id = state.nextId.post;
  state.nextId.post += 1;
  const date = unixSecondsOf(call);
  const post = newPost({ id, type: 'post', status: 'draft', title: '', date, content: '', name: '' });
  post.authorId = call.user?.id ?? 1;
  state.posts.set(id, post);
  return post;
}

function writePost(call: Call, post: Post, record: Record<string, unknown>, isNew: boolean): void {
  const data: Record<string, unknown> = { ...record };
  for (const name of ['post_title', 'post_excerpt']) {
    if (hasField(data, name)) data[name] = filterText(textField(data, name));
  }
  if (!hasField(data, 'post_status')) data['post_status'] = 'draft';
  if (isNew) {
    post.dated = false;
    post.status = 'auto-draft';
    setDates(post, data);
  }
  applyToPost(call, post, data);
  post.authorId = (findUser(call.state, textField(record, 'custom_post_author')) ?? call.user)?.id ?? post.authorId;
}

const DROPPED_META = /^(_mainwp_|_selected_|_sticky$|_post_to_only_existing_categories$|_edit_lock$)/;

/** Writes custom fields. As on the child, a sticky post cannot be made non-sticky. */
function writeMeta(post: Post, custom: Record<string, unknown>): void {
  for (const key of Object.keys(custom)) {
    const last = listField(custom, key).at(-1);
    if (!DROPPED_META.test(key) && last !== undefined) post.meta[stripSlashes(key)] = [stripSlashes(last)];
  }
  const [sticky] = listField(custom, '_sticky');
  if (sticky !== undefined && Buffer.from(sticky, 'base64').toString('utf8') === 'sticky') post.sticky = true;
}

function writeTerms(state: SiteState, post: Post, record: Record<string, unknown>, encodedCategories: string): void {
  const tags = splitNames(decodeNameList(textField(record, 'post_tags')));
  if (tags.length > 0) post.tags = tags;
  if (encodedCategories !== '') {
    post.categories = splitNames(decodeNameList(Buffer.from(encodedCategories, 'base64').toString('utf8')));
  } else if (post.type === 'post' && post.categories.length === 0) {
    post.categories = ['Uncategorized'];
  }
  for (const name of post.categories) {
    if (state.categories.some((category) => category.name === name)) continue;
    state.categories.push({ id: state.nextId.category, name, slug: slugOf(name) });
    state.nextId.category += 1;
  }
}

function decodeNameList(list: string): string {
  try {
    return stripSlashes(decodeURIComponent(list));
  } catch {
    // PHP keeps a percent sign that starts no valid sequence.
    return stripSlashes(list);
  }
}

function fetchFeaturedImage({ fields, siteUrl, defects }: Call): string {
  const address = Buffer.from(textField(fields, 'post_featured_image'), 'base64').toString('utf8');
  if (address === '' || defects.failingPackages.has(address)) return '';
  return `${siteUrl}/wp-content/uploads/${address.split('/').at(-1) ?? ''}`;
}
