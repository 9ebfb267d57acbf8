import { listField, textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Call } from './call.ts';
import { recordForReport } from './logs.ts';
import { isReportsPluginActive } from './plugins.ts';

/**
 * Implements `maintenance_site`. The response does not tell how much was deleted, and unknown options count as success
 * (recorded from a real site).
 */
export function maintenanceSite(call: Call): Reply {
  const { state, fields } = call;
  if (['save_settings', 'clear_settings'].includes(textField(fields, 'action')))
    return frameReply({ result: 'SUCCESS' });
  if (typeof fields['options'] !== 'object' || fields['options'] === null) return frameReply({ status: 'FAIL' });
  const options = new Set(listField(fields, 'options'));
  const { leftovers } = state;
  const keep = Math.max(0, Number(textField(fields, 'revisions')) || 0);
  if (options.has('revisions')) leftovers.revisions = leftovers.revisions.map((count) => Math.min(count, keep));
  if (options.has('autodraft')) leftovers.autoDrafts = 0;
  if (options.has('categories')) leftovers.emptyCategories = 0;
  // `tags` deletes nothing: the child searches for empty categories and tries to delete them as tags.
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
  recordMaintenance(call, options, keep);
  return frameReply({ status: 'SUCCESS' });
}

const TASKS: readonly (readonly [option: string, words: string])[] = [
  ['revisions', 'Delete all post revisions'],
  ['autodraft', 'Delete all auto draft posts'],
  ['trashpost', 'Delete trash posts'],
  ['spam', 'Delete spam comments'],
  ['pending', 'Delete pending comments'],
  ['trashcomment', 'Delete trash comments'],
  ['tags', 'Delete tags with 0 posts associated'],
  ['categories', 'Delete categories with 0 posts associated'],
  ['optimize', 'Optimize database tables'],
  ['transients_all', 'Delete all transients'],
  ['transients_expired', 'Delete expired transients'],
];

function recordMaintenance(call: Call, options: ReadonlySet<string>, keep: number): void {
  const done = TASKS.filter(
    ([option]) => options.has(option) && (option !== 'transients_expired' || !options.has('transients_all')),
  );
  if (done.length === 0) return;
  const words = done.map(([option, task]) =>
    option === 'revisions' && keep > 0 ? `${task}, except for the last: ${keep}` : task,
  );
  const values = { details: words.join(', '), result: 'Maintenance Performed' };
  recordForReport(call, 'maintenance', 'process', values, isReportsPluginActive(call.state));
}
