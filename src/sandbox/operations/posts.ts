import {
  parseBase64Record,
  splitCommaList,
  hasField,
  parseJsonOrUndefined,
  listField,
  recordField,
  textField,
  stripSlashes,
} from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Post } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';
import { newestFirst, postEntry } from './content-views.ts';
import { editablePost, isFalseSuccess } from './post-edit.ts';
import { applyToPost } from './post-update.ts';
import { linkOf, postData, reportPost } from './post-views.ts';

const DEFAULT_RECORDS = 50;

export function getAllPosts(call: Call): Reply {
  return listPosts(call, textField(call.fields, 'post_type') || 'post');
}

export function getAllPages(call: Call): Reply {
  return listPosts(call, 'page');
}

function listPosts(call: Call, type: string): Reply {
  const { state, fields } = call;
  if (!hasField(fields, 'status')) return frameReply('');
  const asked = splitCommaList(textField(fields, 'status'));
  const statuses = asked.length === 0 ? ['publish'] : asked;
  const limit = hasField(fields, 'maxRecords') ? Number(textField(fields, 'maxRecords')) : DEFAULT_RECORDS;
  const matching = [...state.posts.values()].filter((post) => matchesPostQuery(call, post, type));
  const byPostDate = textField(fields, 'where_post_date') === '1';
  const posts = statuses.flatMap((status) => {
    const ofStatus = newestFirst(
      matching.filter((post) => (status === 'any' ? post.status !== 'trash' : post.status === status)),
    );
    return limit > 0 ? ofStatus.slice(0, limit) : ofStatus;
  });
  const tokens = requestedTokens(call);
  return frameReply(posts.map((post) => ({ ...postEntry(state, post, byPostDate), ...tokens(post) })));
}

function matchesPostQuery({ fields }: Call, post: Post, type: string): boolean {
  if (type !== 'any' && post.type !== type) return false;
  if (textField(fields, 'exclude_page_type') === '1' && post.type === 'page') return false;
  if (textField(fields, 'postId') !== '') return post.id === Number(textField(fields, 'postId'));
  if (textField(fields, 'userId') !== '') return post.authorId === Number(textField(fields, 'userId'));
  const keyword = textField(fields, 'keyword').toLowerCase();
  if (keyword !== '') {
    const searchOn = textField(fields, 'search_on');
    const inTitle = searchOn !== 'content' && post.title.toLowerCase().includes(keyword);
    const inContent = searchOn !== 'title' && post.content.toLowerCase().includes(keyword);
    if (!inTitle && !inContent) return false;
  }
  const date = textField(fields, 'where_post_date') === '1' ? post.date : (post.modified ?? post.date);
  return isWithin(date, textField(fields, 'dtsstart'), textField(fields, 'dtsstop'));
}

/** True if a date lies between two limits. Both limits are excluded and are in the local time of the site. */
export function isWithin(date: number, start: string, stop: string): boolean {
  const from = Date.parse(`${start.replace(' ', 'T')}Z`) / 1000;
  const to = Date.parse(`${stop.replace(' ', 'T')}Z`) / 1000;
  return (Number.isNaN(from) || date > from) && (Number.isNaN(to) || date < to);
}

function requestedTokens({ fields, state, siteUrl }: Call): (post: Post) => Record<string, string> {
  const source = textField(fields, 'extract_tokens');
  if (source === '') return () => ({});
  const wanted = listField({ tokens: parseJsonOrUndefined(Buffer.from(source, 'base64').toString('utf8')) }, 'tokens');
  return (post) => {
    const values: Record<string, string> = {
      '[post.url]': linkOf(post, siteUrl),
      '[post.website.url]': siteUrl,
      '[post.website.name]': state.title,
    };
    return Object.fromEntries(wanted.map((token) => [token, values[token] ?? '']));
  };
}

export function postAction(call: Call): Reply {
  const { state, fields } = call;
  const action = textField(fields, 'action');
  const post = state.posts.get(Number(textField(fields, 'id')));
  const oldStatus = post?.status ?? '';
  const isIgnored = CHANGING_ACTIONS.has(action) && isFalseSuccess(call, post);
  const outcome: PostActionOutcome = isIgnored ? PRETENDED : performPostAction(call, action, post);
  if (post === undefined || (action === 'trash' && !state.posts.has(post.id))) {
    return frameReply({ status: outcome.status, other_data: { post_action_data: [] }, my_post: outcome.myPost });
  }
  const data =
    action === 'delete'
      ? { post_type: post.type, post_title: post.title, singular_name: post.type === 'page' ? 'page' : 'post' }
      : { post_id: String(post.id), ...postData(post, oldStatus) };
  return frameReply({ status: outcome.status, other_data: { post_action_data: data }, my_post: outcome.myPost });
}

interface PostActionOutcome {
  status: 'SUCCESS' | 'FAIL';
  myPost: unknown;
}

const CHANGING_ACTIONS = new Set(['publish', 'unpublish', 'trash', 'restore', 'delete', 'update', 'update_meta']);
const PRETENDED: PostActionOutcome = { status: 'SUCCESS', myPost: [] };

/**
 * Performs an action on a post. Most actions on a missing post return `SUCCESS`. Only `unpublish`, `update` and
 * `get_edit` show that it is missing, by an empty `myPost` (protocol 4.4).
 */
function performPostAction(call: Call, action: string, post: Post | undefined): PostActionOutcome {
  const done = (myPost: unknown = []): PostActionOutcome => ({ status: 'SUCCESS', myPost });
  switch (action) {
    case 'publish':
      if (post === undefined) return { status: 'FAIL', myPost: [] };
      if (post.status === 'future' || !post.dated) post.date = unixSecondsOf(call);
      setStatus(call, post, 'publish');
      return done();
    case 'unpublish':
      setStatus(call, post, 'draft');
      return done(post === undefined ? [] : { ID: String(post.id), post_status: 'draft' });
    case 'trash':
      if (post !== undefined && !call.state.hasTrash) removePost(call, post);
      else setStatus(call, post, 'trash');
      return done();
    case 'restore':
      setStatus(call, post, 'draft');
      return done();
    case 'delete':
      if (post !== undefined) removePost(call, post);
      return done();
    case 'update':
      return done(post === undefined ? [] : updatePost(call, post));
    case 'update_meta':
      if (post !== undefined) updateMeta(post, parseBase64Record(textField(call.fields, 'values')));
      return done();
    case 'get_edit':
      return done(post === undefined ? false : editablePost(call, post));
    default:
      return { status: 'FAIL', myPost: [] };
  }
}

const REPORT_ACTIONS: Record<string, string> = { publish: 'updated', draft: 'updated', trash: 'trashed' };

function setStatus(call: Call, post: Post | undefined, status: string): void {
  if (post === undefined) return;
  const restored = post.status === 'trash' && status !== 'trash';
  post.status = status;
  post.modified = unixSecondsOf(call);
  if (status === 'publish') post.dated = true;
  reportPost(call, post, restored ? 'restored' : (REPORT_ACTIONS[status] ?? 'updated'));
}

function removePost(call: Call, post: Post): void {
  call.state.posts.delete(post.id);
  for (const comment of call.state.comments.values()) {
    if (comment.postId === post.id) call.state.comments.delete(comment.id);
  }
  reportPost(call, post, 'deleted');
}

function updatePost(call: Call, post: Post): Record<string, unknown> {
  const data = recordField(call.fields, 'post_data');
  const { status } = post;
  applyToPost(call, post, data);
  const moved = status === post.status ? 'updated' : (REPORT_ACTIONS[post.status] ?? 'updated');
  reportPost(call, post, moved);
  return data;
}

function updateMeta(post: Post, values: Record<string, unknown>): void {
  const keys = listField(values, 'meta_key');
  const contents = listField(values, 'meta_value');
  keys.forEach((key, at) => {
    post.meta[stripSlashes(key)] = [stripSlashes(contents[at] ?? '')];
  });
}
