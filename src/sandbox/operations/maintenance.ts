import { list, text } from '../protocol/form.ts';
import { answer, type Reply } from '../protocol/reply.ts';
import type { Call } from './call.ts';

/**
 * `maintenance_site` deletes without asking and does not say how much; what it does not know is a success (recorded
 * live).
 */
export function maintenanceSite({ state, fields }: Call): Reply {
  if (['save_settings', 'clear_settings'].includes(text(fields, 'action'))) return answer({ result: 'SUCCESS' });
  // A single text is no list to the child.
  if (typeof fields['options'] !== 'object' || fields['options'] === null) return answer({ status: 'FAIL' });
  const options = new Set(list(fields, 'options'));
  const { leftovers } = state;
  const keep = Math.max(0, Number(text(fields, 'revisions')) || 0);
  if (options.has('revisions')) leftovers.revisions = leftovers.revisions.map((count) => Math.min(count, keep));
  if (options.has('autodraft')) leftovers.autoDrafts = 0;
  if (options.has('categories')) leftovers.emptyCategories = 0;
  // `tags` looks for empty categories and tries to delete them as tags: nothing goes.
  for (const [id, post] of state.posts) {
    if (post.status === 'trash' && options.has('trashpost')) state.posts.delete(id);
  }
  for (const [id, comment] of state.comments) {
    const doomed =
      (comment.status === 'spam' && options.has('spam')) ||
      (comment.status === 'hold' && options.has('pending')) ||
      (comment.status === 'trash' && options.has('trashcomment'));
    if (doomed) state.comments.delete(id);
  }
  return answer({ status: 'SUCCESS' });
}
