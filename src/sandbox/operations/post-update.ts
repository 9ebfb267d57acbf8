import { hasField, recordField, textField, stripSlashes, type PhpFormFields } from '../protocol/form.ts';
import { slugOf } from '../state/generate-content.ts';
import type { Post } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';

/**
 * Writes fields to a post. Omitted fields keep their values, and WordPress removes one level of backslashes from each
 * value (protocol 1.4, 4.4).
 */
export function applyToPost(call: Call, post: Post, fields: PhpFormFields): void {
  const value = (name: string): string => stripSlashes(textField(fields, name));
  const floating = ['draft', 'pending'].includes(post.status);
  if (hasField(fields, 'post_title')) post.title = value('post_title').trim();
  if (hasField(fields, 'post_content')) post.content = value('post_content');
  if (hasField(fields, 'post_excerpt')) post.excerpt = value('post_excerpt');
  if (hasField(fields, 'post_status')) post.status = value('post_status') || 'draft';
  if (hasField(fields, 'post_password')) post.password = value('post_password');
  if (value('comment_status') !== '') post.commentStatus = value('comment_status');
  if (value('ping_status') !== '') post.pingStatus = value('ping_status');
  if (value('post_type') !== '') post.type = value('post_type');
  // A draft without a date gets the current time, unless `edit_date` is set.
  if (floating && !post.dated && !hasField(fields, 'edit_date')) post.date = unixSecondsOf(call);
  else setDates(post, fields);
  setDatedStatus(call, post);
  if (hasField(fields, 'post_name')) post.name = slugOf(value('post_name'));
  if (post.name === '' && ['publish', 'future', 'private'].includes(post.status)) post.name = slugOf(post.title);
  if (hasField(fields, 'tags_input')) post.tags = splitNames(value('tags_input'));
  const [first] = Object.values(recordField(fields, 'post_category'));
  if (first === '0') post.categories = ['Uncategorized'];
  post.modified = unixSecondsOf(call);
}

/** A date of zeros (`0000-00-00`) is ignored. */
export function setDates(post: Post, fields: PhpFormFields): void {
  const local = Date.parse(`${textField(fields, 'post_date').replace(' ', 'T')}Z`) / 1000;
  const utc = Date.parse(`${textField(fields, 'post_date_gmt').replace(' ', 'T')}Z`) / 1000;
  if (!Number.isNaN(local)) post.date = local;
  if (!Number.isNaN(utc)) post.dated = true;
}

function setDatedStatus(call: Call, post: Post): void {
  if (post.status === 'publish' && post.date > unixSecondsOf(call)) post.status = 'future';
  else if (post.status === 'future' && post.date <= unixSecondsOf(call)) post.status = 'publish';
  if (!['draft', 'pending'].includes(post.status)) post.dated = true;
}

/** Returns the names in a comma-separated list, sorted as WordPress sorts terms. */
export function splitNames(list: string): string[] {
  const words = list.split(',').map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))].sort();
}
