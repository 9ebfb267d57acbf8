import { base64Record, has, list, text } from '../protocol/form.ts';
import { phpJson, phpMap } from '../protocol/frame.ts';
import { answer, FATAL, type Reply } from '../protocol/reply.ts';
import { newPost, slugOf } from '../state/generate-content.ts';
import type { Post, SiteState } from '../state/types.ts';
import { seconds, sqlDate, type Call } from './call.ts';
import { linkOf, postData, reportPost } from './post-views.ts';
import { findUser } from '../state/connection.ts';

/** Reading a post for an editor, and writing it back (protocol 4.4). All payloads are base64. */

const base64 = (value: string): string => Buffer.from(value, 'utf8').toString('base64');

export function editablePost({ fields, siteUrl }: Call, post: Post): Record<string, string> {
  const asPost = text(fields, 'post_type') === 'post';
  const uploads = `${siteUrl}/wp-content/uploads`;
  const whole = {
    edit_id: String(post.id),
    ...(asPost ? { is_sticky: post.sticky ? 1 : 0 } : {}),
    post_title: post.title,
    post_content: post.content,
    post_status: post.status,
    post_date: sqlDate(post.date),
    post_date_gmt: post.dated ? sqlDate(post.date) : '0000-00-00 00:00:00',
    ...(asPost ? { post_tags: post.tags.join(',') } : {}),
    post_name: post.name,
    post_excerpt: post.excerpt,
    comment_status: post.commentStatus,
    ping_status: post.pingStatus,
    post_type: asPost ? 'post' : 'page',
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

/** `newpost`: creates, or edits when the payload names an ID. Nothing, or nothing readable, is a PHP fatal. */
export function newPostFunction(call: Call): Reply {
  const { state, fields } = call;
  const given = base64Record(text(fields, 'new_post'));
  if (Object.keys(given).length === 0) return FATAL;
  const custom = base64Record(text(fields, 'post_custom'));
  const named = given['ID'] ?? list(custom, '_mainwp_edit_post_id')[0];
  const before = named === undefined ? undefined : state.posts.get(Number(named));
  if (named !== undefined && before === undefined) return answer({ error: 'Empty post id' });
  const oldStatus = before?.status ?? '';
  const post = before ?? create(call);
  write(call, post, given, before === undefined);
  writeMeta(post, custom);
  writeTerms(state, post, given, text(fields, 'post_category'));
  // An edit that names no featured image takes the old one away.
  post.featuredImage = Buffer.from(text(fields, 'post_featured_image'), 'base64').toString('utf8');
  reportPost(call, post, before === undefined ? 'created' : 'updated');
  return answer({
    added: true,
    added_id: post.id,
    link: linkOf(post, call.siteUrl),
    other_data: {
      new_post_data: { post_id: post.id, ...postData(post, oldStatus), is_editing: before === undefined ? 0 : 1 },
    },
  });
}

function create(call: Call): Post {
  const { state } = call;
  const id = state.nextId.post;
  state.nextId.post += 1;
  const date = seconds(call);
  const post = newPost({ id, type: 'post', status: 'draft', title: '', date, content: '', name: '' });
  post.authorId = call.user?.id ?? 1;
  state.posts.set(id, post);
  return post;
}

/** WordPress' insert takes one level of backslashes off. */
function unslashed(given: Record<string, unknown>, name: string): string {
  return text(given, name).replace(/\\(.?)/gs, '$1');
}

function write(call: Call, post: Post, given: Record<string, unknown>, isNew: boolean): void {
  if (has(given, 'post_title')) {
    post.title = unslashed(given, 'post_title').replace(/<(?!\/?(?:em|i|code|span)\b)[^>]*>/gi, '');
  }
  if (has(given, 'post_content')) post.content = unslashed(given, 'post_content');
  if (has(given, 'post_excerpt')) post.excerpt = unslashed(given, 'post_excerpt');
  if (text(given, 'post_type') !== '') post.type = text(given, 'post_type');
  if (isNew || has(given, 'post_status')) post.status = text(given, 'post_status') || 'draft';
  if (has(given, 'post_password')) post.password = text(given, 'post_password');
  if (text(given, 'comment_status') !== '') post.commentStatus = text(given, 'comment_status');
  if (text(given, 'ping_status') !== '') post.pingStatus = text(given, 'ping_status');
  const author = findUser(call.state, text(given, 'custom_post_author'));
  if (author !== undefined) post.authorId = author.id;
  const date = Date.parse(`${text(given, 'post_date').replace(' ', 'T')}Z`) / 1000;
  if (!Number.isNaN(date)) post.date = date;
  post.dated = post.dated && !(isNew && ['draft', 'pending'].includes(post.status) && Number.isNaN(date));
  if (post.status === 'publish' && post.date > seconds(call)) post.status = 'future';
  post.modified = seconds(call);
  const name = text(given, 'post_name');
  if (name !== '') post.name = slugOf(name);
  else if (post.name === '' && post.status === 'publish') post.name = slugOf(post.title);
}

const DROPPED_META = /^(_mainwp_|_selected_|_sticky$|_post_to_only_existing_categories$)/;

function writeMeta(post: Post, custom: Record<string, unknown>): void {
  for (const key of Object.keys(custom)) {
    if (!DROPPED_META.test(key)) post.meta[key] = list(custom, key);
  }
  const [sticky] = list(custom, '_sticky');
  if (sticky !== undefined) post.sticky = Buffer.from(sticky, 'base64').toString('utf8') === 'sticky';
}

/** Omitted terms stay; categories the site lacks are made. */
function writeTerms(state: SiteState, post: Post, given: Record<string, unknown>, encodedCategories: string): void {
  if (has(given, 'post_tags')) post.tags = names(text(given, 'post_tags'));
  if (encodedCategories !== '') {
    post.categories = names(Buffer.from(encodedCategories, 'base64').toString('utf8'));
  } else if (post.type === 'post' && post.categories.length === 0) {
    post.categories = ['Uncategorized'];
  }
  for (const name of post.categories) {
    if (state.categories.some((category) => category.name === name)) continue;
    state.categories.push({ id: state.nextId.category, name, slug: slugOf(name) });
    state.nextId.category += 1;
  }
}

function names(encoded: string): string[] {
  let plain = encoded;
  try {
    plain = decodeURIComponent(encoded);
  } catch {
    // A stray percent sign is text, as for PHP.
  }
  return plain
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
