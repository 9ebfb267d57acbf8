import type { Post, User } from '../state/site-state.ts';
import { unixSecondsOf, type Call } from './call.ts';

/**
 * This file simulates WordPress' edit lock of a post: `<Unix seconds>:<user ID>`, valid for 150 seconds (protocol 4.4).
 */

const KEY = '_edit_lock';
const GOOD_FOR = 150;

export function otherEditor(call: Call, post: Post): User | undefined {
  const [at, id] = (post.meta[KEY]?.[0] ?? '').split(':').map(Number);
  if (!at || !id || id === call.user?.id || at <= unixSecondsOf(call) - GOOD_FOR) return undefined;
  return call.state.users.find((user) => user.id === id);
}

export function takeLock(call: Call, post: Post): void {
  if (call.user !== undefined) post.meta[KEY] = [`${unixSecondsOf(call)}:${call.user.id}`];
}

export function clearLock(post: Post): void {
  post.meta[KEY] = [''];
}
