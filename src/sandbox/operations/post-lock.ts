import type { Post, User } from '../state/types.ts';
import { seconds, type Call } from './call.ts';

/** WordPress' mark of who edits a post: `<Unix seconds>:<user id>`, good for 150 seconds (protocol 4.4). */

const KEY = '_edit_lock';
const GOOD_FOR = 150;

/** Whoever else edits the post at this moment. */
export function otherEditor(call: Call, post: Post): User | undefined {
  const [at, id] = (post.meta[KEY]?.[0] ?? '').split(':').map(Number);
  if (!at || !id || id === call.user?.id || at <= seconds(call) - GOOD_FOR) return undefined;
  return call.state.users.find((user) => user.id === id);
}

/** Takes it, whoever held it. */
export function takeLock(call: Call, post: Post): void {
  if (call.user !== undefined) post.meta[KEY] = [`${seconds(call)}:${call.user.id}`];
}

export function clearLock(post: Post): void {
  post.meta[KEY] = [''];
}
