import { splitCommaList, hasField, textField } from '../protocol/form.ts';
import { frameReply, FATAL, type Reply } from '../protocol/reply.ts';
import type { Comment, CommentStatus, SiteState } from '../state/site-state.ts';
import type { Call } from './call.ts';
import { commentEntry, newestFirst } from './content-views.ts';
import { isWithin } from './posts.ts';

const DEFAULT_RECORDS = 50;
const ACTIONS = new Set(['approve', 'unapprove', 'spam', 'unspam', 'trash', 'restore', 'delete']);

export function getAllComments({ state, fields }: Call): Reply {
  const asked = splitCommaList(textField(fields, 'status'));
  const groups: CommentStatus[][] = asked.length === 0 ? [statusesOf('all')] : asked.map(statusesOf);
  const limit = hasField(fields, 'maxRecords') ? Number(textField(fields, 'maxRecords')) : DEFAULT_RECORDS;
  const matching = [...state.comments.values()].filter((comment) => matchesCommentQuery(comment, fields));
  const comments = groups.flatMap((statuses) => {
    const ofGroup = newestFirst(matching.filter((comment) => statuses.includes(comment.status)));
    return limit > 0 ? ofGroup.slice(0, limit) : ofGroup;
  });
  return frameReply(comments.map((comment) => commentEntry(state, comment)));
}

function statusesOf(word: string): CommentStatus[] {
  if (word === 'all') return ['approve', 'hold'];
  return (['approve', 'hold', 'spam', 'trash'] as const).filter((status) => status === word);
}

function matchesCommentQuery(comment: Comment, fields: Call['fields']): boolean {
  const postId = textField(fields, 'postId');
  if (postId !== '') return comment.postId === Number(postId);
  const keyword = textField(fields, 'keyword').toLowerCase();
  if (keyword !== '' && !comment.content.toLowerCase().includes(keyword)) return false;
  return isWithin(comment.date, textField(fields, 'dtsstart'), textField(fields, 'dtsstop'));
}

export function commentAction({ state, fields }: Call): Reply {
  const action = textField(fields, 'action');
  if (!ACTIONS.has(action)) return frameReply({ status: 'FAIL' });
  return applyCommentAction(state, action, Number(textField(fields, 'id'))) ? frameReply({ status: 'SUCCESS' }) : FATAL;
}

export function commentBulkAction({ state, fields }: Call): Reply {
  const action = textField(fields, 'action');
  const ids = splitCommaList(textField(fields, 'ids'));
  if (!ACTIONS.has(action)) return frameReply({ success: 0 });
  for (const id of ids) if (!applyCommentAction(state, action, Number(id))) return FATAL;
  return frameReply({ success: ids.length });
}

/** Returns false if PHP dies, which happens when a missing comment is approved or unapproved (protocol 4.5). */
function applyCommentAction(state: SiteState, action: string, id: number): boolean {
  const comment = state.comments.get(id);
  if (comment === undefined) return action !== 'approve' && action !== 'unapprove';
  switch (action) {
    case 'approve':
      comment.status = 'approve';
      break;
    case 'unapprove':
      comment.status = 'hold';
      break;
    case 'spam':
    case 'trash':
      if (comment.status === action) break;
      comment.previous = comment.status;
      comment.status = action;
      break;
    case 'delete':
      state.comments.delete(id);
      break;
    default:
      if (comment.status !== 'spam' && comment.status !== 'trash') break;
      comment.status = comment.previous;
      comment.previous = 'hold';
  }
  return true;
}
