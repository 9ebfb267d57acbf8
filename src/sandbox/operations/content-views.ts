import { createHash, randomInt } from 'node:crypto';
import type { Comment, CommentStatus, Post, SiteState, User } from '../state/site-state.ts';
import { toSqlDate } from './call.ts';

/**
 * This file returns posts, comments and users in the format of the protocol, including its unusual types (protocol 4.4
 * to 4.6).
 */

/** Unix time that WordPress calculates for the date 0000-00-00 00:00:00 (protocol 4.1). */
export const ZERO_DATE_SECONDS = -62_169_984_000;

const COMMENT_STATUS: Record<CommentStatus, string> = {
  approve: 'approved',
  hold: 'unapproved',
  spam: 'spam',
  trash: 'trash',
};

export function postEntry(state: SiteState, post: Post, byPostDate = false): Record<string, unknown> {
  const author = state.users.find((user) => user.id === post.authorId);
  const usePostDate = byPostDate || post.status === 'future';
  return {
    id: post.id,
    post_type: post.type,
    status: post.status,
    title: post.title,
    comment_count: commentCount(state, post.id),
    dts: usePostDate ? post.date : (post.modified ?? ZERO_DATE_SECONDS),
    author: author ? niceName(author) : 'removed',
    authorEmail: author?.email ?? 'removed',
    categories: post.categories.join(', '),
    tags: post.tags.join(', '),
  };
}

export function commentEntry(state: SiteState, comment: Comment): Record<string, unknown> {
  return {
    id: String(comment.id),
    status: COMMENT_STATUS[comment.status],
    author: comment.author,
    author_url: comment.url.replace(/&(?!#038;|amp;)/g, '&#038;'),
    author_ip: comment.ip,
    author_email: obfuscated(comment.email),
    postId: String(comment.postId),
    postName: state.posts.get(comment.postId)?.title ?? '',
    comment_count: commentCount(state, comment.postId),
    content: comment.content,
    dts: comment.date,
  };
}

function commentCount(state: SiteState, postId: number): string {
  let count = 0;
  for (const comment of state.comments.values()) {
    if (comment.postId === postId && comment.status === 'approve') count += 1;
  }
  return String(count);
}

/**
 * Encodes random characters as HTML entities, differently each time. Clients must decode the text and must not compare
 * it encoded (protocol 4.5).
 */
function obfuscated(email: string): string {
  const dice = randomInt(2 ** 47);
  return [...email]
    .map((character, at) => {
      const plain = character !== '@' && Math.floor(dice / 2 ** (at % 47)) % 2 === 0;
      return plain ? character : `&#${character.codePointAt(0) ?? 0};`;
    })
    .join('');
}

const niceName = ({ login }: User): string => login.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');

export function userEntry(state: SiteState, user: User, withAvatar: boolean): Record<string, unknown> {
  let postCount = 0;
  for (const post of state.posts.values()) {
    if (post.authorId === user.id && post.type === 'post' && post.status === 'publish') postCount += 1;
  }
  return {
    id: user.id,
    login: user.login,
    nicename: niceName(user),
    email: user.email,
    registered: toSqlDate(user.registered),
    status: '0',
    display_name: user.displayName,
    role: user.role || null,
    post_count: String(postCount),
    ...(withAvatar ? { avatar: avatar(user.email) } : {}),
    last_password_change: user.lastPasswordChange,
    password_status: 'DISABLED',
    password_due_time: null,
    password_has_recorded_change: false,
  };
}

function avatar(email: string): string {
  const url = `https://secure.gravatar.com/avatar/${createHash('sha256').update(email).digest('hex')}`;
  return `<img alt='' src='${url}?s=32&#038;d=mm&#038;r=g' class='avatar avatar-32 photo' height='32' width='32' loading='lazy' decoding='async'/>`;
}

export function newestFirst<T extends { date: number; id: number }>(items: Iterable<T>): T[] {
  return [...items].sort((left, right) => right.date - left.date || right.id - left.id);
}
